//! Which pictures can the terminal show?
//!
//! Terminals say who they are in their environment. Asking them would mean to
//! read an answer from a terminal that somebody is typing into.

use clap::ValueEnum;

use super::Environment;

/// A way to send a picture to a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Protocol {
    /// kitty, Ghostty.
    Kitty,
    /// iTerm2, WezTerm, VS Code's terminal, Konsole, mintty.
    Iterm2,
    /// foot, mlterm, xterm if it was built with it.
    Sixel,
}

/// Which protocol the terminal understands, by the variables it sets; `None`
/// if none, or if a multiplexer stands between that would eat the picture.
pub(super) fn terminal_protocol(environment: &Environment) -> Option<Protocol> {
    let get = |name| environment.get(name);
    let term = get("TERM").unwrap_or_default();
    let is_multiplexed =
        get("TMUX").is_some() || term.starts_with("screen") || term.starts_with("tmux");
    if is_multiplexed || term == "dumb" {
        return None;
    }
    if get("KITTY_WINDOW_ID").is_some() || ["xterm-kitty", "xterm-ghostty"].contains(&term) {
        return Some(Protocol::Kitty);
    }
    match get("TERM_PROGRAM") {
        Some("ghostty") => return Some(Protocol::Kitty),
        Some("iTerm.app" | "WezTerm" | "vscode" | "mintty") => return Some(Protocol::Iterm2),
        _ => {}
    }
    if get("KONSOLE_VERSION").is_some() {
        return Some(Protocol::Iterm2);
    }
    // `foot-extra` is a foot.
    let name = term.split('-').next().unwrap_or_default();
    ["foot", "mlterm", "yaft", "contour"]
        .contains(&name)
        .then_some(Protocol::Sixel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_terminal(variables: &str, expected: Option<Protocol>) {
        let environment = variables
            .split_whitespace()
            .filter_map(|variable| variable.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        assert_eq!(terminal_protocol(&environment), expected, "{variables}");
    }

    #[test]
    fn a_terminal_is_known_by_its_variables() {
        check_terminal("TERM=xterm-kitty", Some(Protocol::Kitty));
        check_terminal(
            "TERM=xterm-256color KITTY_WINDOW_ID=1",
            Some(Protocol::Kitty),
        );
        check_terminal(
            "TERM=xterm-256color TERM_PROGRAM=iTerm.app",
            Some(Protocol::Iterm2),
        );
        check_terminal(
            "TERM=xterm-256color TERM_PROGRAM=WezTerm",
            Some(Protocol::Iterm2),
        );
        check_terminal("TERM=foot-extra", Some(Protocol::Sixel));
        check_terminal("TERM=xterm-256color", None);
        check_terminal("", None);
    }

    #[test]
    fn a_multiplexer_would_eat_the_picture() {
        check_terminal("TERM=tmux-256color KITTY_WINDOW_ID=1 TMUX=/tmp/t", None);
        check_terminal("TERM=screen.xterm-256color", None);
    }
}
