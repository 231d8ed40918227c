//! Compiles SPIR-V with a Vulkan driver, and reads what the driver says of the result.
//!
//! The driver runs in a process of its own, a hidden subcommand of this program: the family of GPUs is told to it by
//! its environment before it is loaded, and should it crash, only that process ends.

mod vulkan;

use std::{
    env,
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::error::Error;

/// The hidden subcommand.
pub const SUBCOMMAND: &str = "compile-on-driver";

/// The statistic that says how many lanes a wave has.
pub const SUBGROUP_SIZE: &str = "Subgroup size";

/// Ends the statistics; machine code follows.
const END_OF_STATISTICS: &str = "---";

/// A compiler: a driver's description file for the Vulkan loader, and for which GPU it compiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The driver's file.
    pub icd: PathBuf,
    /// The GPU's name in Mesa, such as `navi21`.
    pub family: String,
    /// Lanes of a wave, 32 or 64.
    pub wave: u32,
}

/// What a driver says of a kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compiled {
    /// The device, the driver and its version.
    pub device: String,
    /// The driver's statistics by name.
    pub statistics: Vec<(String, f64)>,
    /// The machine code as text.
    pub assembly: String,
}

impl Compiled {
    /// A statistic; none if the driver has none of this name.
    #[must_use]
    pub fn statistic(&self, name: &str) -> Option<f64> {
        self.statistics.iter().find(|(other, _)| other == name).map(|&(_, value)| value)
    }

    /// What makes a kernel slow: registers or other memory that lie in memory. None is said if it is well.
    #[must_use]
    pub fn spills(&self) -> Option<String> {
        let names = ["Spilled SGPRs", "Spilled VGPRs", "Scratch size"];
        let found = names.iter().filter_map(|name| Some((name, self.statistic(name)?)));
        let bad: Vec<String> =
            found.filter(|&(_, value)| value != 0.0).map(|(name, value)| format!("{name} {value}")).collect();
        (!bad.is_empty()).then(|| bad.join(", "))
    }

    fn parse(text: &str) -> Option<Self> {
        let (head, assembly) = text.split_once(&format!("{END_OF_STATISTICS}\n"))?;
        let mut lines = head.lines();
        let mut compiled = Self {
            device: lines.next()?.to_owned(),
            assembly: assembly.replace('\0', ""),
            ..Self::default()
        };
        for line in lines {
            let (name, value) = line.split_once('\t')?;
            compiled.statistics.push((name.to_owned(), value.parse().ok()?));
        }
        Some(compiled)
    }
}

/// Mesa's driver for AMD GPUs: that of `FERZ_RADV_ICD`, else that of the system.
///
/// # Errors
///
/// [`Error::Driver`] if there is none.
pub fn radv() -> Result<PathBuf, Error> {
    const FOLDERS: [&str; 3] =
        ["/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/usr/share/vulkan/icd.d"];
    if let Some(path) = env::var_os("FERZ_RADV_ICD") {
        return Ok(path.into());
    }
    let found = FOLDERS.iter().find_map(|folder| {
        let mut names: Vec<PathBuf> =
            Path::new(folder).read_dir().ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
        names.sort();
        let of_radv = |path: &PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("radeon_icd"))
        };
        names.into_iter().find(of_radv)
    });
    found.ok_or_else(|| {
        Error::Driver(
            "Mesa's Vulkan driver for AMD is not installed: install mesa-vulkan-drivers, or name its \
             radeon_icd JSON file with --icd"
                .into(),
        )
    })
}

/// Compiles a module whose entry point is `main`.
///
/// # Errors
///
/// [`Error::Driver`] if the driver does not load, does not know the GPU, or does not compile the module.
pub fn compile(spirv: &[u32], target: &Target) -> Result<Compiled, Error> {
    let Target { icd, family, wave } = target;
    let fail = |what: String| {
        Error::Driver(format!("{} does not compile for '{family}': {}", icd.display(), what.trim()))
    };
    if !icd.is_file() {
        return Err(fail("there is no such file".into()));
    }
    let program = env::current_exe().map_err(|error| fail(error.to_string()))?;
    let mut child = Command::new(program)
        .arg(SUBCOMMAND)
        .env("VK_DRIVER_FILES", icd)
        // the name that loaders before 1.3.207 know
        .env("VK_ICD_FILENAMES", icd)
        .env("RADV_FORCE_FAMILY", family)
        .env("RADV_PERFTEST", if *wave == 32 { "cswave32" } else { "" })
        // Mesa's device-select layer complains on stderr
        .env("NODEVICE_SELECT", "1")
        .env("MESA_SHADER_CACHE_DISABLE", "true")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| fail(error.to_string()))?;
    // written whole before anything is read: the child prints only once it has read all
    let bytes: Vec<u8> = spirv.iter().flat_map(|word| word.to_le_bytes()).collect();
    let written = child.stdin.take().map_or(Ok(()), |mut input| input.write_all(&bytes));
    let output = child.wait_with_output().map_err(|error| fail(error.to_string()))?;
    if !output.status.success() {
        return Err(fail(format!("{} ({})", String::from_utf8_lossy(&output.stderr), output.status)));
    }
    written.map_err(|error| fail(error.to_string()))?;
    let compiled = Compiled::parse(&String::from_utf8_lossy(&output.stdout));
    let compiled = compiled.ok_or_else(|| fail("its answer is not understood".into()))?;
    match compiled.statistic(SUBGROUP_SIZE) {
        Some(lanes) if lanes != f64::from(*wave) => {
            Err(fail(format!("its waves have {lanes} lanes here, not the {wave} of --wave")))
        }
        _ => Ok(compiled),
    }
}

/// The hidden subcommand: SPIR-V on stdin, what the driver says on stdout.
///
/// # Errors
///
/// [`Error::Driver`] with what the driver said.
pub fn serve() -> Result<(), Error> {
    let fail = |error: std::io::Error| Error::Driver(error.to_string());
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).map_err(fail)?;
    let spirv: Vec<u32> = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    let Compiled { device, statistics, assembly } = vulkan::compile(&spirv)?;
    let mut text = device + "\n";
    for (name, value) in statistics {
        text += &format!("{name}\t{value}\n");
    }
    text += END_OF_STATISTICS;
    text += "\n";
    text += &assembly;
    std::io::stdout().write_all(text.as_bytes()).map_err(fail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_and_spills_are_seen() {
        let text = "GPU, driver 1\nVGPRs\t24\nSpilled VGPRs\t0\nScratch size\t0\n---\nBB0:\n\ts_endpgm\0";
        let mut compiled = Compiled::parse(text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(compiled.device, "GPU, driver 1");
        assert_eq!(compiled.statistic("VGPRs"), Some(24.0));
        assert_eq!(compiled.assembly, "BB0:\n\ts_endpgm");
        assert_eq!(compiled.spills(), None);
        compiled.statistics[2].1 = 64.0;
        assert_eq!(compiled.spills(), Some("Scratch size 64".into()));
        for broken in ["", "GPU\nVGPRs\t24\n", "GPU\nVGPRs 24\n---\n", "GPU\nVGPRs\tmany\n---\n"] {
            assert_eq!(Compiled::parse(broken), None, "{broken}");
        }
    }

    #[test]
    fn a_driver_that_is_not_there_is_named() {
        let target = Target { icd: "/no/such.json".into(), family: "navi21".into(), wave: 64 };
        let Err(error) = compile(&[], &target) else { panic!("it compiles") };
        assert!(error.to_string().contains("/no/such.json"), "{error}");
        assert_eq!(error.exit_code(), 4);
    }
}
