//! A real browser without a window, told what to do.
//!
//! Chromium's own protocol (JSON over a web socket) is spoken directly: the
//! dozen commands that are needed have not changed in years. See DESIGN.md,
//! section 10, for the crates that were weighed.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::cell::{Cell, RefCell};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use tungstenite::{Message, WebSocket, client};

/// A browser; it ends with the test.
pub(crate) struct Browser {
    process: Child,
    address: String,
    _profile: TempDir,
}

/// A page in it.
pub(crate) struct Page {
    socket: RefCell<WebSocket<TcpStream>>,
    last_id: Cell<u64>,
}

/// Which screen a page is looked at on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Screen {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) is_phone: bool,
    pub(crate) is_dark: bool,
}

impl Screen {
    pub(crate) const DESK: Screen = Screen {
        width: 1_440,
        height: 900,
        is_phone: false,
        is_dark: false,
    };
    pub(crate) const PHONE: Screen = Screen {
        width: 390,
        height: 844,
        is_phone: true,
        is_dark: false,
    };

    pub(crate) fn dark(self) -> Screen {
        Screen {
            is_dark: true,
            ..self
        }
    }
}

/// What the browser is called, in the order in which it is looked for.
const NAMES: [&str; 5] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
];
const PLACES: [&str; 2] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
const PATIENCE: Duration = Duration::from_secs(60);

#[allow(
    clippy::disallowed_methods,
    reason = "where the browser is, is a thing of the machine"
)]
fn program() -> PathBuf {
    if let Some(named) = std::env::var_os("CHROME") {
        return named.into();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let named = NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let mut all = named.chain(PLACES.map(PathBuf::from));
    all.find(|place| place.is_file()).expect(
        "no browser: the console is tested in a real one. Install Chromium \
         (`apt-get install chromium`), run `scripts/test`, which does so, or name one in CHROME",
    )
}

impl Browser {
    /// Starts one with a profile of its own.
    pub(crate) fn start() -> Browser {
        let program = program();
        let profile = TempDir::new().unwrap();
        let mut process = Command::new(&program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--hide-scrollbars",
                "--force-color-profile=srgb",
                "--remote-debugging-port=0",
                "--remote-allow-origins=*",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .env("TZ", "Europe/Berlin")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {}: {error}", program.display()));
        let mut said = BufReader::new(process.stderr.take().unwrap());
        let mut line = String::new();
        let address = loop {
            line.clear();
            let n = said.read_line(&mut line).unwrap();
            assert!(n > 0, "the browser ended: {}", program.display());
            if let Some((_, rest)) = line.split_once("ws://") {
                break rest.split('/').next().unwrap().to_owned();
            }
        };
        // Nobody reads the rest; a full pipe would stop it.
        std::thread::spawn(move || for _ in said.lines() {});
        Browser {
            process,
            address,
            _profile: profile,
        }
    }

    /// A new page that shows nothing yet.
    pub(crate) fn page(&self, screen: Screen) -> Page {
        use std::io::{Read as _, Write as _};
        let mut http = TcpStream::connect(&self.address).unwrap();
        let host = &self.address;
        write!(
            http,
            "PUT /json/new?about:blank HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        http.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut answer = Vec::new();
        let mut part = [0; 4_096];
        // It keeps the line open, so its length says when it has answered.
        let target: Value = loop {
            let n = http.read(&mut part).unwrap();
            assert!(n > 0, "no page: {}", String::from_utf8_lossy(&answer));
            answer.extend_from_slice(&part[..n]);
            let text = String::from_utf8_lossy(&answer);
            let body = text.split_once("\r\n\r\n").map(|(_, body)| body);
            if let Some(target) = body.and_then(|body| serde_json::from_str(body).ok()) {
                break target;
            }
        };
        let address = target["webSocketDebuggerUrl"].as_str().unwrap();
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let (socket, _) = client(address, stream).unwrap();
        let page = Page {
            socket: RefCell::new(socket),
            last_id: Cell::new(0),
        };
        page.tell("Page.enable", &json!({}));
        page.tell("Runtime.enable", &json!({}));
        page.look_on(screen);
        page
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Page {
    /// Gives a command and waits for its answer.
    pub(crate) fn tell(&self, method: &str, params: &Value) -> Value {
        let id = self.last_id.get() + 1;
        self.last_id.set(id);
        let command = json!({ "id": id, "method": method, "params": params });
        let mut socket = self.socket.borrow_mut();
        socket.send(Message::text(command.to_string())).unwrap();
        loop {
            let Message::Text(text) = socket.read().unwrap() else {
                continue;
            };
            let said: Value = serde_json::from_str(&text).unwrap();
            if said["id"] == id {
                assert!(said["error"].is_null(), "{method}: {}", said["error"]);
                return said["result"].clone();
            }
        }
    }

    pub(crate) fn look_on(&self, screen: Screen) {
        let Screen {
            width,
            height,
            is_phone,
            is_dark,
        } = screen;
        let theme = if is_dark { "dark" } else { "light" };
        self.tell(
            "Emulation.setDeviceMetricsOverride",
            &json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone }),
        );
        self.tell(
            "Emulation.setEmulatedMedia",
            &json!({ "features": [
                { "name": "prefers-color-scheme", "value": theme },
                { "name": "prefers-reduced-motion", "value": "reduce" },
            ] }),
        );
    }

    /// Opens a file and waits until it is there.
    pub(crate) fn open(&self, file: &Path) {
        let address = format!("file://{}", file.display());
        let opened = self.tell("Page.navigate", &json!({ "url": address }));
        assert!(opened["errorText"].is_null(), "{opened}");
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'");
    }

    /// What an expression of JavaScript comes to; a promise is awaited.
    #[track_caller]
    pub(crate) fn ask(&self, expression: &str) -> Value {
        let answer = self.tell(
            "Runtime.evaluate",
            &json!({ "expression": expression, "returnByValue": true, "awaitPromise": true }),
        );
        let failed = &answer["exceptionDetails"];
        assert!(failed.is_null(), "{expression}\n{failed}");
        answer["result"]["value"].clone()
    }

    /// … as text.
    #[track_caller]
    pub(crate) fn text(&self, expression: &str) -> String {
        match self.ask(expression) {
            Value::String(text) => text,
            other => other.to_string(),
        }
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub(crate) fn wait(&self, expression: &str) {
        let began = Instant::now();
        while self.ask(expression) != json!(true) {
            assert!(began.elapsed() < PATIENCE, "waited in vain: {expression}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Clicks where an element is, as a person would.
    #[track_caller]
    pub(crate) fn click(&self, selector: &str) {
        let place = self.ask(&format!(
            "(() => {{ const it = document.querySelector({selector:?});
               it.scrollIntoView({{ block: 'center' }});
               const box = it.getBoundingClientRect();
               return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            self.tell(
                "Input.dispatchMouseEvent",
                &json!({ "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1 }),
            );
        }
    }

    /// Presses a key: `Tab`, `Enter`, `Escape`.
    pub(crate) fn press(&self, key: &str) {
        let (code, text) = match key {
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            "Escape" => (27, ""),
            "Space" => (32, " "),
            other => panic!("unknown key: {other}"),
        };
        let name = if key == "Space" { " " } else { key };
        let down = json!({ "type": if text.is_empty() { "rawKeyDown" } else { "keyDown" },
            "key": name, "code": key, "windowsVirtualKeyCode": code, "text": text });
        self.tell("Input.dispatchKeyEvent", &down);
        let up =
            json!({ "type": "keyUp", "key": name, "code": key, "windowsVirtualKeyCode": code });
        self.tell("Input.dispatchKeyEvent", &up);
    }

    /// Types into what has the focus.
    pub(crate) fn type_in(&self, text: &str) {
        self.tell("Input.insertText", &json!({ "text": text }));
    }

    /// Keeps what is seen, for people to look at: `target/console-screenshots`.
    pub(crate) fn picture(&self, name: &str) {
        self.keep(name, &json!({ "format": "png" }));
    }

    /// … of the whole page, however long.
    pub(crate) fn whole_picture(&self, name: &str) {
        self.keep(
            name,
            &json!({ "format": "png", "captureBeyondViewport": true, "clip": self.whole() }),
        );
    }

    fn whole(&self) -> Value {
        let size = &self.tell("Page.getLayoutMetrics", &json!({}))["cssContentSize"];
        json!({ "x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1 })
    }

    fn keep(&self, name: &str, params: &Value) {
        use base64::Engine as _;
        let shot = self.tell("Page.captureScreenshot", params);
        let shot = shot["data"].as_str().unwrap();
        let bytes = base64::engine::general_purpose::STANDARD.decode(shot);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../console-screenshots");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{name}.png")), bytes.unwrap()).unwrap();
    }
}
