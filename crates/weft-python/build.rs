//! Tells the extension what it was built from and by, for `weft --version`.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for name in ["TARGET", "PROFILE"] {
        tell(name, env::var(name).ok());
    }
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    tell(
        "COMPILER",
        first_line(Command::new(compiler).arg("--version")),
    );
    // A source archive has no history; then there is no commit to tell.
    let commit = first_line(Command::new("git").args(["rev-parse", "--short=12", "HEAD"]));
    if commit.is_some() {
        // Moves with every commit and checkout.
        let log = first_line(Command::new("git").args(["rev-parse", "--git-path", "logs/HEAD"]));
        if let Some(path) = log {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    tell("COMMIT", commit);
}

/// Sets a variable of the compilation, empty where nothing is known.
fn tell(name: &str, value: Option<String>) {
    let value = value.unwrap_or_default();
    println!("cargo::rustc-env=WEFT_BUILD_{name}={value}");
}

/// The first line that a program prints, if it ends well.
fn first_line(command: &mut Command) -> Option<String> {
    let output = command
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.lines().next()?.trim();
    (!line.is_empty()).then(|| line.to_owned())
}
