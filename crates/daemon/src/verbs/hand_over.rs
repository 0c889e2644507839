//! Commands that are written in TypeScript: this process becomes Node with the bundle that lies
//! beside this binary.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use crate::exit::{Exit, Failure, Result};
use crate::table::Command;

/// From the binary's directory: installed, then in a checkout's `target/PROFILE`.
const PLACES: &[&str] = &["../lib/cua-driver/main.js", "../../ts/cli/dist/bundle/main.js"];

/// For a server that runs for days and does little: memory that stays where it is counts for
/// more than speed, of which nearly all is elsewhere, and at rest it does nothing.
const LEAN: &[&str] = &["--max-semi-space-size=1", "--heap-growing-percent=5", "--no-opt", "--no-memory-reducer"];

pub fn run(command: &Command, rest: &[String]) -> Result<Exit> {
    let own = std::env::current_exe().map_err(|error| Failure::failed(format!("where am I: {error}")))?;
    let bundle = bundle_of(&own).ok_or_else(|| {
        Failure::failed(format!(
            "`{}` needs the TypeScript part, which is not beside {}; install cua-driver with install.sh, or run `npm ci \
             && npm run build` in the checkout",
            command.name,
            own.display()
        ))
    })?;
    let mut node = Process::new("node");
    if command.name == "mcp" {
        node.args(LEAN);
    }
    node.arg(&bundle).args(command.name.split(' ')).args(rest).env("CUA_DRIVER_BIN", &own);
    // Comes back only when it could not.
    let error = node.exec();
    Err(Failure::failed(format!(
        "`{}` needs Node.js 20 or newer and it could not be started ({error}); install it from your system's packages \
         (nodejs) or nodejs.org",
        command.name
    )))
}

/// The bundle of this binary.
pub fn bundle() -> Option<PathBuf> {
    bundle_of(&std::env::current_exe().ok()?)
}

fn bundle_of(own: &Path) -> Option<PathBuf> {
    let dir = own.parent()?;
    PLACES.iter().map(|place| dir.join(place)).find(|path| path.is_file())
}
