//! The release folder: `bin/cua-driver`, `lib/cua-driver` with the TypeScript bundle and the
//! addon, the installers, a list of checksums; and the same as one archive.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::root;

pub struct Options {
    /// Where folder and archive go.
    pub out: PathBuf,
    /// The cargo profile whose binaries are packed.
    pub profile: String,
    /// Build first, or pack what has been built.
    pub build: bool,
}

pub fn run(options: &Options) -> Result<()> {
    let Options { out, profile, build } = options;
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("cua-driver-{version}-{}-{}", std::env::consts::OS, std::env::consts::ARCH);
    if *build {
        command("cargo", &["build", "--profile", profile, "-p", "cua-driver", "-p", "cua-node"])?;
        command("npm", &["run", "build"])?;
    }
    let folder = out.join(&name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let built = target().join(profile);
    copy(&built.join("cua-driver"), &folder.join("bin/cua-driver"), 0o755)?;
    let lib = folder.join("lib/cua-driver");
    tree(&root().join("ts/cli/dist/bundle"), &lib)?;
    let addon = format!("{}cua_node{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    copy(&built.join(addon), &lib.join(addon_name()), 0o755)?;
    for file in ["install.sh", "install.ps1", "LICENSE", "README.md", "CHANGELOG.md"] {
        let from = root().join(file);
        if from.exists() {
            copy(&from, &folder.join(file), if file.ends_with(".sh") { 0o755 } else { 0o644 })?;
        }
    }
    fs::write(folder.join("VERSION"), format!("{version}\n"))?;
    sums(&folder)?;
    let archive = format!("{name}.tar.gz");
    run_in(out, "tar", &["--sort=name", "--owner=0", "--group=0", "-czf", &archive, &name])?;
    let sum = checksum(out, &[archive.clone()])?;
    fs::write(out.join(format!("{archive}.sha256")), sum)?;
    println!("{}\n{}", folder.display(), out.join(archive).display());
    Ok(())
}

/// The addon as the bundle looks for it: with Node's words for system and processor.
fn addon_name() -> String {
    let platform = match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("cua-driver.{platform}-{processor}.node")
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

fn command(program: &str, args: &[&str]) -> Result<()> {
    run_in(&root(), program, args)
}

fn run_in(dir: &Path, program: &str, args: &[&str]) -> Result<()> {
    let status = Command::new(program)
        .args(args)
        .current_dir(dir)
        .status()
        .with_context(|| format!("{program} can't be started"))?;
    if !status.success() {
        bail!("{program} {} ended with {status}", args.join(" "));
    }
    Ok(())
}

fn copy(from: &Path, to: &Path, mode: u32) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
    fs::set_permissions(to, fs::Permissions::from_mode(mode))?;
    Ok(())
}

fn tree(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from).with_context(|| format!("{} is not built", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            tree(&entry.path(), &target)?;
        } else if !entry.file_name().to_string_lossy().ends_with(".map") {
            copy(&entry.path(), &target, 0o644)?;
        }
    }
    Ok(())
}

/// `SHA256SUMS` over every file of the folder, as sha256sum checks it.
fn sums(folder: &Path) -> Result<()> {
    let mut names = Vec::new();
    list(folder, folder, &mut names)?;
    names.sort();
    fs::write(folder.join("SHA256SUMS"), checksum(folder, &names)?)?;
    Ok(())
}

fn list(folder: &Path, dir: &Path, names: &mut Vec<String>) -> Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            list(folder, &path, names)?;
        } else {
            names.push(path.strip_prefix(folder)?.display().to_string());
        }
    }
    Ok(())
}

fn checksum(dir: &Path, names: &[String]) -> Result<Vec<u8>> {
    let output = Command::new("sha256sum").arg("--").args(names).current_dir(dir).output().context("sha256sum")?;
    if !output.status.success() {
        bail!("sha256sum ended with {}", output.status);
    }
    Ok(output.stdout)
}
