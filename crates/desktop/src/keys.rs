//! Names of keys as callers write them.

use std::fmt;
use std::str::FromStr;

use crate::near::nearest;

/// A key by what it makes or does, not by where it lies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// A character, found on whatever key and level of the layout makes it.
    Char(char),
    /// A named key, by its X keysym name (`Return`, `KP_Enter`, `XF86AudioPlay`).
    Named(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Modifier {
    Shift,
    Control,
    Alt,
    Super,
    /// The third level (AltGr).
    Level3,
}

/// A set of modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Modifiers(u8);

impl Modifiers {
    pub const NONE: Modifiers = Modifiers(0);
    pub const ALL: [Modifier; 5] =
        [Modifier::Shift, Modifier::Control, Modifier::Alt, Modifier::Super, Modifier::Level3];

    pub fn add(&mut self, m: Modifier) {
        self.0 |= 1 << m as u8;
    }

    pub fn has(self, m: Modifier) -> bool {
        self.0 & (1 << m as u8) != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn iter(self) -> impl Iterator<Item = Modifier> {
        Self::ALL.into_iter().filter(move |m| self.has(*m))
    }
}

impl FromIterator<Modifier> for Modifiers {
    fn from_iter<T: IntoIterator<Item = Modifier>>(i: T) -> Self {
        let mut out = Self::NONE;
        i.into_iter().for_each(|m| out.add(m));
        out
    }
}

/// A key with the modifiers held for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chord {
    pub modifiers: Modifiers,
    pub key: Key,
}

/// A word that names no key, with the nearest that does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKey {
    pub word: String,
    pub nearest: Option<&'static str>,
}

impl fmt::Display for UnknownKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no key is named {:?}", self.word)?;
        match self.nearest {
            Some(n) => write!(f, "; the nearest is {n:?}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownKey {}

/// What callers write (lower case) and the keysym name it stands for.
pub const NAMES: &[(&str, &str)] = &[
    ("return", "Return"), ("enter", "Return"), ("tab", "Tab"), ("escape", "Escape"), ("esc", "Escape"),
    ("up", "Up"), ("down", "Down"), ("left", "Left"), ("right", "Right"),
    ("arrowup", "Up"), ("arrowdown", "Down"), ("arrowleft", "Left"), ("arrowright", "Right"),
    ("space", "space"), ("spacebar", "space"), ("delete", "BackSpace"), ("backspace", "BackSpace"),
    ("forwarddelete", "Delete"), ("forward_delete", "Delete"), ("forward delete", "Delete"), ("del", "Delete"),
    ("home", "Home"), ("end", "End"), ("pageup", "Prior"), ("page_up", "Prior"), ("pgup", "Prior"), ("prior", "Prior"),
    ("pagedown", "Next"), ("page_down", "Next"), ("pgdn", "Next"), ("next", "Next"),
    ("insert", "Insert"), ("ins", "Insert"), ("menu", "Menu"), ("contextmenu", "Menu"), ("pause", "Pause"), ("break", "Break"),
    ("print", "Print"), ("printscreen", "Print"), ("print_screen", "Print"), ("sysreq", "Sys_Req"),
    ("scrolllock", "Scroll_Lock"), ("scroll_lock", "Scroll_Lock"), ("numlock", "Num_Lock"), ("num_lock", "Num_Lock"),
    ("capslock", "Caps_Lock"), ("caps_lock", "Caps_Lock"), ("help", "Help"), ("undo", "Undo"), ("redo", "Redo"), ("find", "Find"),
    ("cancel", "Cancel"), ("clear", "Clear"), ("select", "Select"), ("execute", "Execute"),
    ("f1", "F1"), ("f2", "F2"), ("f3", "F3"), ("f4", "F4"), ("f5", "F5"), ("f6", "F6"), ("f7", "F7"), ("f8", "F8"),
    ("f9", "F9"), ("f10", "F10"), ("f11", "F11"), ("f12", "F12"), ("f13", "F13"), ("f14", "F14"), ("f15", "F15"), ("f16", "F16"),
    ("f17", "F17"), ("f18", "F18"), ("f19", "F19"), ("f20", "F20"), ("f21", "F21"), ("f22", "F22"), ("f23", "F23"), ("f24", "F24"),
    ("kp_0", "KP_0"), ("kp_1", "KP_1"), ("kp_2", "KP_2"), ("kp_3", "KP_3"), ("kp_4", "KP_4"),
    ("kp_5", "KP_5"), ("kp_6", "KP_6"), ("kp_7", "KP_7"), ("kp_8", "KP_8"), ("kp_9", "KP_9"),
    ("kp_enter", "KP_Enter"), ("kp_add", "KP_Add"), ("kp_subtract", "KP_Subtract"), ("kp_multiply", "KP_Multiply"),
    ("kp_divide", "KP_Divide"), ("kp_decimal", "KP_Decimal"), ("kp_equal", "KP_Equal"), ("kp_separator", "KP_Separator"),
    ("kp_home", "KP_Home"), ("kp_end", "KP_End"), ("kp_up", "KP_Up"), ("kp_down", "KP_Down"), ("kp_left", "KP_Left"),
    ("kp_right", "KP_Right"), ("kp_page_up", "KP_Prior"), ("kp_page_down", "KP_Next"), ("kp_insert", "KP_Insert"), ("kp_delete", "KP_Delete"),
    ("numpad0", "KP_0"), ("numpad1", "KP_1"), ("numpad2", "KP_2"), ("numpad3", "KP_3"), ("numpad4", "KP_4"),
    ("numpad5", "KP_5"), ("numpad6", "KP_6"), ("numpad7", "KP_7"), ("numpad8", "KP_8"), ("numpad9", "KP_9"),
    ("numpadenter", "KP_Enter"), ("numpadadd", "KP_Add"), ("numpadsubtract", "KP_Subtract"),
    ("numpadmultiply", "KP_Multiply"), ("numpaddivide", "KP_Divide"), ("numpaddecimal", "KP_Decimal"),
    ("shift", "Shift_L"), ("shift_l", "Shift_L"), ("shift_r", "Shift_R"), ("ctrl", "Control_L"), ("control", "Control_L"),
    ("control_l", "Control_L"), ("control_r", "Control_R"), ("alt", "Alt_L"), ("option", "Alt_L"), ("alt_l", "Alt_L"), ("alt_r", "Alt_R"),
    ("super", "Super_L"), ("super_l", "Super_L"), ("super_r", "Super_R"), ("meta", "Super_L"), ("win", "Super_L"), ("cmd", "Super_L"),
    ("command", "Super_L"), ("altgr", "ISO_Level3_Shift"), ("iso_level3_shift", "ISO_Level3_Shift"), ("iso_left_tab", "ISO_Left_Tab"),
    ("volumeup", "XF86AudioRaiseVolume"), ("volumedown", "XF86AudioLowerVolume"), ("volumemute", "XF86AudioMute"), ("mute", "XF86AudioMute"),
    ("audioplay", "XF86AudioPlay"), ("playpause", "XF86AudioPlay"), ("play", "XF86AudioPlay"), ("audiostop", "XF86AudioStop"),
    ("audionext", "XF86AudioNext"), ("nexttrack", "XF86AudioNext"), ("audioprev", "XF86AudioPrev"), ("previoustrack", "XF86AudioPrev"),
    ("audiomute", "XF86AudioMute"), ("audioraisevolume", "XF86AudioRaiseVolume"), ("audiolowervolume", "XF86AudioLowerVolume"),
    ("brightnessup", "XF86MonBrightnessUp"), ("brightnessdown", "XF86MonBrightnessDown"),
    ("browserback", "XF86Back"), ("browserforward", "XF86Forward"), ("browserrefresh", "XF86Refresh"), ("browserhome", "XF86HomePage"),
    ("mail", "XF86Mail"), ("calculator", "XF86Calculator"), ("search", "XF86Search"), ("eject", "XF86Eject"), ("sleep", "XF86Sleep"), ("wakeup", "XF86WakeUp"),
    ("dead_acute", "dead_acute"), ("dead_grave", "dead_grave"), ("dead_circumflex", "dead_circumflex"), ("dead_tilde", "dead_tilde"),
    ("dead_diaeresis", "dead_diaeresis"), ("multi_key", "Multi_key"), ("compose", "Multi_key"),
    ("plus", "plus"), ("minus", "minus"), ("comma", "comma"), ("period", "period"), ("slash", "slash"), ("backslash", "backslash"),
    ("semicolon", "semicolon"), ("apostrophe", "apostrophe"), ("grave", "grave"), ("equal", "equal"), ("bracketleft", "bracketleft"),
    ("bracketright", "bracketright"), ("underscore", "underscore"), ("asterisk", "asterisk"), ("at", "at"), ("numbersign", "numbersign"),
    ("dollar", "dollar"), ("percent", "percent"), ("ampersand", "ampersand"), ("exclam", "exclam"), ("question", "question"), ("colon", "colon"),
    ("less", "less"), ("greater", "greater"), ("parenleft", "parenleft"), ("parenright", "parenright"), ("braceleft", "braceleft"),
    ("braceright", "braceright"), ("bar", "bar"), ("asciitilde", "asciitilde"), ("quotedbl", "quotedbl"), ("asciicircum", "asciicircum"),
];

const MODIFIERS: &[(&str, Modifier)] = &[
    ("shift", Modifier::Shift), ("ctrl", Modifier::Control), ("control", Modifier::Control), ("alt", Modifier::Alt),
    ("option", Modifier::Alt), ("super", Modifier::Super), ("win", Modifier::Super), ("meta", Modifier::Super),
    ("cmd", Modifier::Super), ("command", Modifier::Super), ("altgr", Modifier::Level3),
];

impl FromStr for Modifier {
    type Err = UnknownKey;

    fn from_str(word: &str) -> Result<Self, UnknownKey> {
        let low = word.trim().to_lowercase();
        MODIFIERS.iter().find(|(n, _)| *n == low).map(|(_, m)| *m).ok_or_else(|| UnknownKey {
            word: word.into(),
            nearest: nearest(&low, MODIFIERS.iter().map(|(n, _)| *n)),
        })
    }
}

impl FromStr for Key {
    type Err = UnknownKey;

    fn from_str(word: &str) -> Result<Self, UnknownKey> {
        let mut chars = word.chars();
        if let (Some(c), None) = (chars.next(), chars.next()) {
            return match c {
                '\n' | '\r' => Ok(Key::Named("Return")),
                '\t' => Ok(Key::Named("Tab")),
                ' ' => Ok(Key::Named("space")),
                c if c.is_control() => Err(UnknownKey { word: word.into(), nearest: None }),
                c => Ok(Key::Char(c)),
            };
        }
        let low = word.trim().to_lowercase();
        if let Some((_, sym)) = NAMES.iter().find(|(n, _)| *n == low) {
            return Ok(Key::Named(sym));
        }
        // The system's own spelling is taken too: `Page_Up`, `KP_Enter`, `XF86AudioPlay`.
        if let Some((_, sym)) = NAMES.iter().find(|(_, sym)| sym.to_lowercase() == low) {
            return Ok(Key::Named(sym));
        }
        Err(UnknownKey { word: word.into(), nearest: nearest(&low, NAMES.iter().map(|(n, _)| *n)) })
    }
}

impl Key {
    /// The modifier this key is, if it is one.
    pub fn modifier(&self) -> Option<Modifier> {
        match self {
            Key::Named("Shift_L" | "Shift_R") => Some(Modifier::Shift),
            Key::Named("Control_L" | "Control_R") => Some(Modifier::Control),
            Key::Named("Alt_L" | "Alt_R") => Some(Modifier::Alt),
            Key::Named("Super_L" | "Super_R") => Some(Modifier::Super),
            Key::Named("ISO_Level3_Shift") => Some(Modifier::Level3),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_same_in_every_spelling() {
        for (word, want) in [
            ("Return", Key::Named("Return")), ("ENTER", Key::Named("Return")), ("delete", Key::Named("BackSpace")),
            ("Page_Up", Key::Named("Prior")), ("kp_enter", Key::Named("KP_Enter")), ("XF86AudioPlay", Key::Named("XF86AudioPlay")),
            ("a", Key::Char('a')), ("Я", Key::Char('Я')), ("\n", Key::Named("Return")), ("f12", Key::Named("F12")),
        ] {
            assert_eq!(word.parse::<Key>(), Ok(want), "{word}");
        }
    }

    #[test]
    fn an_unknown_name_offers_the_nearest() {
        let e = "retrun".parse::<Key>().unwrap_err();
        assert_eq!(e.nearest, Some("return"));
        assert_eq!("qqqqqqqqqq".parse::<Key>().unwrap_err().nearest, None);
        assert_eq!("contrl".parse::<Modifier>().unwrap_err().nearest, Some("control"));
    }
}
