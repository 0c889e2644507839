//! Path rules, secrets and configuration on a real file system.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use engine::Host;
use host::{Config, ConfigError, Dirs, Roots, SystemHost, private_dir, resolve, write_private};
use serde_json::json;

/// A directory of this test's own, removed with it.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let dir =
            fs::canonicalize(std::env::temp_dir()).expect("tmp").join(format!("cua-host-{name}-{:x}", host::random()));
        fs::create_dir_all(dir.join("home")).expect("scratch");
        fs::create_dir_all(dir.join("tmp")).expect("scratch");
        Self(dir)
    }

    fn dirs(&self) -> Dirs {
        Dirs {
            home: Some(self.0.join("home")),
            config: Some(self.0.join("home/.config/cua-driver")),
            runtime: None,
            tmp: self.0.join("tmp"),
            uid: rustix::process::geteuid().as_raw(),
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_callers_path_lies_inside_a_root_or_is_refused() {
    let scratch = Scratch::new("paths");
    let home = scratch.0.join("home");
    fs::create_dir(home.join("real")).expect("dir");
    symlink(home.join("real"), home.join("link")).expect("link");
    symlink("/etc", home.join("out")).expect("link");
    symlink("loop", home.join("loop")).expect("link");
    fs::write(home.join("file"), "x").expect("file");
    let roots = Roots::new(&scratch.dirs(), &[PathBuf::from("/srv")]);
    let at = |path: &str| resolve(path, &roots).map_err(|refused| refused.why);
    let home = home.display();
    for (path, wanted) in [
        ("~/new/run".to_owned(), Ok(format!("{home}/new/run"))),
        (format!("{home}/link/run"), Ok(format!("{home}/real/run"))),
        (format!("{home}/real/../run"), Ok(format!("{home}/run"))),
        ("/var/tmp/x".into(), Ok("/var/tmp/x".into())),
        ("/srv/run".into(), Ok("/srv/run".into())),
        (format!("{home}/link"), Err("is a link")),
        (format!("{home}/out/passwd"), Err("system directory")),
        (format!("{home}/loop/x"), Err("links")),
        (format!("{home}/file/x"), Err("not a directory")),
        (format!("{home}/new/../../../etc/x"), Err("does not exist")),
        ("/etc/passwd".into(), Err("system directory")),
        ("/usr/local/x".into(), Err("system directory")),
        ("/proc/self/environ".into(), Err("system directory")),
        ("/opt/x".into(), Err("outside")),
        ("/tmp".into(), Err("root directory itself")),
        ("run".into(), Err("relative")),
        (String::new(), Err("relative")),
        ("/tmp/a\0b".into(), Err("NUL")),
    ] {
        match (at(&path), wanted) {
            (Ok(got), Ok(wanted)) => assert_eq!(got, Path::new(&wanted), "{path}"),
            (Err(why), Err(part)) => assert!(why.contains(part), "{path}: {why}"),
            (got, wanted) => panic!("{path}: {got:?}, not {wanted:?}"),
        }
    }
}

#[test]
fn a_broken_configuration_is_kept_as_it_is() {
    let scratch = Scratch::new("config");
    let config = Config::at(Some(&scratch.0.join("home/.config/cua-driver")));
    assert_eq!(config.read().expect("nothing is fine"), json!({}));
    config.write(&json!({"roots": ["/srv"]})).expect("written");
    let path = config.path().expect("a place").to_owned();
    assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    assert_eq!(config.read().expect("read"), json!({"roots": ["/srv"]}));
    fs::write(&path, "{ not json").expect("broken");
    assert!(matches!(config.read(), Err(ConfigError::Broken { .. })));
    assert!(matches!(config.write(&json!({})), Err(ConfigError::Broken { .. })));
    assert_eq!(fs::read_to_string(&path).expect("there"), "{ not json");
    assert_eq!(SystemHost::new(scratch.dirs()).config(), json!({}));
}

#[test]
fn secrets_come_from_private_sources_only() {
    let scratch = Scratch::new("secrets");
    let dir = scratch.0.join("home/.config/cua-driver");
    private_dir(&dir).expect("dir");
    let host = SystemHost::new(scratch.dirs());
    assert_eq!(host.secret("mail"), Ok(None));
    let file = dir.join("secrets.json");
    write_private(&file, br#"{"mail": "from the file"}"#).expect("file");
    assert_eq!(host.secret("mail"), Ok(Some("from the file".into())));
    assert_eq!(host.secret("bank"), Ok(None));
    host.keep_config(&json!({"secrets": {"command": ["printf", "%s from the command\n"]}})).expect("config");
    assert_eq!(host.secret("bank"), Ok(Some("bank from the command".into())));
    host.keep_config(&json!({"secrets": {"command": "exit 4"}})).expect("config");
    assert!(host.secret("bank").is_err_and(|why| why.contains("ended with")));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("mode");
    assert!(host.secret("mail").is_err_and(|why| why.contains("chmod 600") && !why.contains("from the file")));
}

#[test]
fn files_are_written_whole_and_never_through_a_link() {
    let scratch = Scratch::new("files");
    let (victim, link) = (scratch.0.join("victim"), scratch.0.join("link"));
    fs::write(&victim, "precious").expect("victim");
    symlink(&victim, &link).expect("link");
    write_private(&link, b"new").expect("written");
    assert_eq!(fs::read_to_string(&victim).expect("victim"), "precious");
    assert!(fs::symlink_metadata(&link).expect("there").is_file());
    let host = SystemHost::new(scratch.dirs());
    symlink(&victim, scratch.0.join("again")).expect("link");
    assert!(host.read(&scratch.0.join("again"), 100).is_err());
    assert!(host.read(&victim, 3).is_err_and(|why| why.contains("larger")));
    assert_eq!(host.read(&victim, 100), Ok(b"precious".to_vec()));
    assert!(host.regular(&scratch.0).is_err());
    // What is no file is neither replaced nor written to, nor what a link leads to it.
    let (pipe, to_pipe, to_null) = (scratch.0.join("pipe"), scratch.0.join("to_pipe"), scratch.0.join("to_null"));
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("pipe");
    symlink(&pipe, &to_pipe).expect("link");
    symlink("/dev/null", &to_null).expect("link");
    for path in [&pipe, &to_pipe, &to_null, &scratch.0] {
        let before = fs::symlink_metadata(path).expect("there").file_type();
        assert!(write_private(path, b"new").is_err_and(|why| why.to_string().contains("not a regular file")));
        assert_eq!(fs::symlink_metadata(path).expect("there").file_type(), before, "{}", path.display());
    }
}
