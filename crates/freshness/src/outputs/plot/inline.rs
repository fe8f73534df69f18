//! How does a terminal show a picture among its text?
//!
//! Kitty's and iTerm2's protocols carry the PNG itself, sixels the pixels in at
//! most 256 colours.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use icy_sixel::{DiffusionMethod, MethodForLargest, MethodForRep, PixelFormat, Quality};

use super::canvas::Canvas;
use crate::config::Protocol;

/// The picture between the control characters of a protocol.
pub(super) fn encode(canvas: &Canvas, protocol: Protocol) -> Result<String, String> {
    match protocol {
        Protocol::Kitty => Ok(kitty(&canvas.png()?)),
        Protocol::Iterm2 => {
            let png = canvas.png()?;
            let (size, data) = (png.len(), STANDARD.encode(&png));
            Ok(format!(
                "\x1b]1337;File=inline=1;size={size};preserveAspectRatio=1:{data}\x07\n"
            ))
        }
        Protocol::Sixel => {
            let (width, height) = canvas.size();
            let sixels = icy_sixel::sixel_string(
                &canvas.rgb(),
                width,
                height,
                PixelFormat::RGB888,
                DiffusionMethod::None,
                MethodForLargest::Auto,
                MethodForRep::Auto,
                Quality::HIGH,
            );
            sixels
                .map(|sixels| sixels + "\n")
                .map_err(|error| error.to_string())
        }
    }
}

/// In pieces of at most 4,096 letters, as the protocol asks.
fn kitty(png: &[u8]) -> String {
    const PIECE: usize = 4_096;
    let data = STANDARD.encode(png);
    let pieces: Vec<&str> = (0..data.len())
        .step_by(PIECE)
        .filter_map(|from| data.get(from..data.len().min(from + PIECE)))
        .collect();
    let mut text = String::new();
    for (i, piece) in pieces.iter().enumerate() {
        let more = u8::from(i + 1 < pieces.len());
        let head = if i == 0 { "a=T,f=100," } else { "" };
        text.push_str(&format!("\x1b_G{head}m={more};{piece}\x1b\\"));
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_protocol_frames_the_picture_its_own_way() {
        let canvas = Canvas::new(64, 64).unwrap();
        let encoded = |protocol| encode(&canvas, protocol).unwrap();
        let kitty = encoded(Protocol::Kitty);
        assert!(kitty.starts_with("\x1b_Ga=T,f=100,m=0;iVBOR"), "{kitty:?}");
        assert!(kitty.ends_with("\x1b\\\n"));
        assert!(encoded(Protocol::Iterm2).starts_with("\x1b]1337;File=inline=1;size="));
        let sixel = encoded(Protocol::Sixel);
        assert!(
            sixel.starts_with("\x1bP") && sixel.ends_with("\x1b\\\n"),
            "{sixel:?}"
        );
    }

    #[test]
    fn a_large_picture_goes_to_kitty_in_pieces() {
        let text = kitty(&[7; 10_000]);
        let pieces: Vec<&str> = text.split("\x1b_G").skip(1).collect();
        assert_eq!(pieces.len(), 4);
        assert!(pieces[0].starts_with("a=T,f=100,m=1;"));
        assert!(pieces[1].starts_with("m=1;") && pieces[3].starts_with("m=0;"));
    }
}
