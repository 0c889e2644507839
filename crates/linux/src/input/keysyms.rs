//! Keysyms: numbers for names, numbers for characters and back. Knows nothing of layouts.

use xkeysym::Keysym;

/// The keysym that means exactly this character, for a key that is to make it.
pub(super) fn of_char(c: char) -> Option<u32> {
    match c as u32 {
        0..=0x1f | 0x7f..=0x9f => None,
        cp @ 0x20..=0xff => Some(cp),
        cp => Some(0x0100_0000 + cp),
    }
}

/// The character that a key of this keysym types. `None` for dead keys, functions and the keypad.
pub(super) fn to_char(sym: u32) -> Option<char> {
    if matches!(sym, 0 | 0xfe00..=0xffff) {
        return None;
    }
    Keysym::new(sym).key_char().filter(|c| !c.is_control())
}

/// The keysym of a name of `desktop::Key::Named`.
pub(super) fn of_name(name: &str) -> Option<u32> {
    NAMED.iter().find(|(n, _)| *n == name).map(|(_, sym)| *sym)
}

pub(super) const RETURN: u32 = 0xff0d;
pub(super) const TAB: u32 = 0xff09;
pub(super) const LEVEL3: u32 = 0xfe03;

/// Every key that `desktop` can name, by its number in the X protocol.
const NAMED: &[(&str, u32)] = &[
    ("Alt_L", 0xffe9), ("Alt_R", 0xffea), ("BackSpace", 0xff08), ("Break", 0xff6b), ("Cancel", 0xff69),
    ("Caps_Lock", 0xffe5), ("Clear", 0xff0b), ("Control_L", 0xffe3), ("Control_R", 0xffe4), ("Delete", 0xffff),
    ("Down", 0xff54), ("End", 0xff57), ("Escape", 0xff1b), ("Execute", 0xff62), ("F1", 0xffbe), ("F10", 0xffc7),
    ("F11", 0xffc8), ("F12", 0xffc9), ("F13", 0xffca), ("F14", 0xffcb), ("F15", 0xffcc), ("F16", 0xffcd),
    ("F17", 0xffce), ("F18", 0xffcf), ("F19", 0xffd0), ("F2", 0xffbf), ("F20", 0xffd1), ("F21", 0xffd2),
    ("F22", 0xffd3), ("F23", 0xffd4), ("F24", 0xffd5), ("F3", 0xffc0), ("F4", 0xffc1), ("F5", 0xffc2),
    ("F6", 0xffc3), ("F7", 0xffc4), ("F8", 0xffc5), ("F9", 0xffc6), ("Find", 0xff68), ("Help", 0xff6a),
    ("Home", 0xff50), ("ISO_Left_Tab", 0xfe20), ("ISO_Level3_Shift", 0xfe03), ("Insert", 0xff63), ("KP_0", 0xffb0),
    ("KP_1", 0xffb1), ("KP_2", 0xffb2), ("KP_3", 0xffb3), ("KP_4", 0xffb4), ("KP_5", 0xffb5), ("KP_6", 0xffb6),
    ("KP_7", 0xffb7), ("KP_8", 0xffb8), ("KP_9", 0xffb9), ("KP_Add", 0xffab), ("KP_Decimal", 0xffae),
    ("KP_Delete", 0xff9f), ("KP_Divide", 0xffaf), ("KP_Down", 0xff99), ("KP_End", 0xff9c), ("KP_Enter", 0xff8d),
    ("KP_Equal", 0xffbd), ("KP_Home", 0xff95), ("KP_Insert", 0xff9e), ("KP_Left", 0xff96), ("KP_Multiply", 0xffaa),
    ("KP_Next", 0xff9b), ("KP_Prior", 0xff9a), ("KP_Right", 0xff98), ("KP_Separator", 0xffac),
    ("KP_Subtract", 0xffad), ("KP_Up", 0xff97), ("Left", 0xff51), ("Menu", 0xff67), ("Multi_key", 0xff20),
    ("Next", 0xff56), ("Num_Lock", 0xff7f), ("Pause", 0xff13), ("Print", 0xff61), ("Prior", 0xff55),
    ("Redo", 0xff66), ("Return", 0xff0d), ("Right", 0xff53), ("Scroll_Lock", 0xff14), ("Select", 0xff60),
    ("Shift_L", 0xffe1), ("Shift_R", 0xffe2), ("Super_L", 0xffeb), ("Super_R", 0xffec), ("Sys_Req", 0xff15),
    ("Tab", 0xff09), ("Undo", 0xff65), ("Up", 0xff52), ("XF86AudioLowerVolume", 0x1008ff11),
    ("XF86AudioMute", 0x1008ff12), ("XF86AudioNext", 0x1008ff17), ("XF86AudioPlay", 0x1008ff14),
    ("XF86AudioPrev", 0x1008ff16), ("XF86AudioRaiseVolume", 0x1008ff13), ("XF86AudioStop", 0x1008ff15),
    ("XF86Back", 0x1008ff26), ("XF86Calculator", 0x1008ff1d), ("XF86Eject", 0x1008ff2c),
    ("XF86Forward", 0x1008ff27), ("XF86HomePage", 0x1008ff18), ("XF86Mail", 0x1008ff19),
    ("XF86MonBrightnessDown", 0x1008ff03), ("XF86MonBrightnessUp", 0x1008ff02), ("XF86Refresh", 0x1008ff29),
    ("XF86Search", 0x1008ff1b), ("XF86Sleep", 0x1008ff2f), ("XF86WakeUp", 0x1008ff2b), ("ampersand", 0x26),
    ("apostrophe", 0x27), ("asciicircum", 0x5e), ("asciitilde", 0x7e), ("asterisk", 0x2a), ("at", 0x40),
    ("backslash", 0x5c), ("bar", 0x7c), ("braceleft", 0x7b), ("braceright", 0x7d), ("bracketleft", 0x5b),
    ("bracketright", 0x5d), ("colon", 0x3a), ("comma", 0x2c), ("dead_acute", 0xfe51), ("dead_circumflex", 0xfe52),
    ("dead_diaeresis", 0xfe57), ("dead_grave", 0xfe50), ("dead_tilde", 0xfe53), ("dollar", 0x24), ("equal", 0x3d),
    ("exclam", 0x21), ("grave", 0x60), ("greater", 0x3e), ("less", 0x3c), ("minus", 0x2d), ("numbersign", 0x23),
    ("parenleft", 0x28), ("parenright", 0x29), ("percent", 0x25), ("period", 0x2e), ("plus", 0x2b),
    ("question", 0x3f), ("quotedbl", 0x22), ("semicolon", 0x3b), ("slash", 0x2f), ("space", 0x20),
    ("underscore", 0x5f),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_the_seam_has_a_number() {
        let all = NAMED.iter().map(|(n, _)| *n).collect::<Vec<_>>();
        for word in ["return", "kp_enter", "f24", "volumeup", "sleep", "altgr", "dead_acute", "braceleft", "compose", "sysreq"] {
            let Ok(desktop::Key::Named(name)) = word.parse() else { panic!("{word} is not a named key") };
            assert!(all.contains(&name), "{name}");
        }
    }

    #[test]
    fn a_dead_key_types_nothing_and_legacy_numbers_are_characters() {
        for (sym, want) in [(0xfe51, None), (0x6d1, Some('я')), (0x1b3, Some('ł')), (0x20ac, Some('€')), (0xffb0, None), (0x27, Some('\''))] {
            assert_eq!(to_char(sym), want, "{sym:#x}");
        }
        assert_eq!(of_char('日'), Some(0x0100_65e5));
        assert_eq!(of_char('\n'), None);
    }
}
