//! Files of hardware.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weft_model::hardware::Hardware;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match Hardware::from_toml(text, "file") {
        // Showing an error slices the text around its place.
        Err(error) => assert!(error.to_string().starts_with("file")),
        Ok(hardware) => {
            // Values out of range are refused with the file; what does not fit together is told here.
            let made = match &hardware {
                Hardware::Wormhole(hardware) => hardware.wormhole().map(|_| ()),
                Hardware::CutThrough(hardware) => hardware.cut_through().map(|_| ()),
            };
            if let Err(error) = made {
                assert!(!error.to_string().is_empty());
            }
            let changed = hardware.parameters().into_iter().filter(|one| one.is_changed());
            let again = changed.fold(Hardware::preset(hardware.preset_name()), |made, one| {
                made.and_then(|made| made.with(one.spec.name, &one.value.to_string()))
            });
            assert_eq!(again.as_ref().ok(), Some(&hardware));
        }
    }
});
