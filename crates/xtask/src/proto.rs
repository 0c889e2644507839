//! `driver.proto` to Rust and TypeScript, without protoc: protox parses, the two generators print.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use prost::Message;
use prost_types::FileDescriptorSet;
use prost_types::compiler::{CodeGeneratorRequest, CodeGeneratorResponse};

use crate::codegen::Output;
use crate::root;

const SOURCE: &str = "driver.proto";
const TS_OPTIONS: &str = "env=node,esModuleInterop=true,importSuffix=.js,outputServices=grpc-js,\
                          useExactTypes=false,oneof=unions-value,forceLong=number,outputJsonMethods=false,\
                          outputPartialMethods=true";

pub fn compile() -> Result<FileDescriptorSet> {
    protox::compile([SOURCE], [root().join("proto")]).context("proto/driver.proto")
}

/// The tonic code of the daemon and its client verbs.
pub fn rust(files: &FileDescriptorSet) -> Result<Output> {
    let out = std::env::temp_dir().join(format!("cua-xtask-{}", std::process::id()));
    fs::create_dir_all(&out)?;
    let text = tonic_prost_build::configure()
        .build_transport(true)
        .bytes(".")
        .out_dir(&out)
        .compile_fds(files.clone())
        .context("tonic")
        .and_then(|()| fs::read_to_string(out.join("cua.driver.v1.rs")).context("generated code"));
    fs::remove_dir_all(&out)?;
    Ok(Output::new("crates/daemon/src/gen/driver.rs", text?))
}

/// The ts-proto code of the client; `None` while the plugin is not installed.
pub fn typescript(files: &FileDescriptorSet) -> Result<Option<Output>> {
    let plugin = root().join("node_modules/.bin/protoc-gen-ts_proto");
    if !plugin.exists() {
        return Ok(None);
    }
    let request = CodeGeneratorRequest {
        file_to_generate: vec![SOURCE.into()],
        parameter: Some(TS_OPTIONS.into()),
        proto_file: files.file.clone(),
        compiler_version: None,
    };
    let response = ask(&plugin, &request)?;
    if let Some(error) = response.error {
        bail!("ts-proto: {error}");
    }
    let file = response.file.into_iter().find(|file| file.name().ends_with("driver.ts"));
    let file = file.context("ts-proto gave no driver.ts")?;
    Ok(Some(Output::new("ts/client/src/gen/driver.ts", file.content.unwrap_or_default())))
}

fn ask(plugin: &PathBuf, request: &CodeGeneratorRequest) -> Result<CodeGeneratorResponse> {
    let mut child = Command::new(plugin)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", plugin.display()))?;
    let mut stdin = child.stdin.take().context("no stdin of the plugin")?;
    let bytes = request.encode_to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&bytes));
    let output = child.wait_with_output()?;
    if writer.join().is_err() || !output.status.success() {
        bail!("ts-proto ended with {}", output.status);
    }
    Ok(CodeGeneratorResponse::decode(output.stdout.as_slice())?)
}
