//! The table of formats, and what holds for each of them.

use std::collections::BTreeSet;
use weft_fabric::formats::{FORMATS, FormatName};

#[test]
fn every_format_is_found_by_its_name_and_by_the_names_of_its_files() {
    let mut ids = BTreeSet::new();
    let mut extensions = BTreeSet::new();
    for format in FORMATS {
        assert!(ids.insert(format.id), "{} twice", format.id);
        assert_eq!(format.id.parse(), Ok(format.name));
        assert_eq!(format.name.format().id, format.id);
        assert!(format.reads() || format.writes(), "{}", format.id);
        assert!(format.summary.ends_with('.') && format.keeps.ends_with('.'));
        if !format.writes() {
            continue;
        }
        assert!(!format.extensions.is_empty(), "{}", format.id);
        for extension in format.extensions {
            assert!(extensions.insert(extension), ".{extension} twice");
            for path in [
                format!("out/a.b.{extension}"),
                format!(r"C:\x.{}", extension.to_uppercase()),
            ] {
                assert_eq!(FormatName::from_path(&path), Ok(format.name));
            }
        }
    }
}

#[test]
fn unknown_formats_are_told_with_what_is_known() {
    let text = "jsn".parse::<FormatName>().unwrap_err().to_string();
    assert!(
        text.starts_with("found format “jsn”, expected one of json, "),
        "{text}"
    );
    assert!(text.ends_with("; did you mean “json”?"), "{text}");
    for path in ["fabric", "json", "a.json/b", "x.unheard-of"] {
        let text = FormatName::from_path(path).unwrap_err().to_string();
        let start = format!(
            "the name “{}” does not tell",
            path.rsplit('/').next().unwrap()
        );
        assert!(text.starts_with(&start), "{text}");
        assert!(text.contains(".json"), "{text}");
    }
}
