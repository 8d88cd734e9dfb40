//! Generates the stubs, and the JSON form of the messages, with the protoc of protoc-bin-vendored.

use std::{env, fs, path::PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let protos = PathBuf::from("../../proto");
    let files = ["resolver", "log", "group_offsets"]
        .map(|name| protos.join(format!("whence/v1/{name}_service.proto")));
    let descriptors = PathBuf::from(env::var("OUT_DIR")?).join("descriptors.bin");
    let mut config = prost_build::Config::new();
    config
        .protoc_executable(protoc_bin_vendored::protoc_bin_path()?)
        .file_descriptor_set_path(&descriptors)
        .compile_well_known_types()
        .extern_path(".google.protobuf", "::pbjson_types");
    tonic_prost_build::configure()
        .build_server(false)
        .compile_with_config(config, &files, &[protos.clone()])?;
    pbjson_build::Builder::new()
        .register_descriptors(&fs::read(descriptors)?)?
        .build(&[".whence.v1"])?;
    println!("cargo::rerun-if-changed={}", protos.display());
    Ok(())
}
