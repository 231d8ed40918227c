//! The command line.

use std::{
    fmt::Display,
    io::{self, Write as _},
    path::PathBuf,
};

use clap::{Args, Parser, Subcommand, ValueEnum};
use comfy_table::{CellAlignment, Table, presets::ASCII_MARKDOWN};

use crate::{
    code::{Counts, Program},
    driver::{self, Compiled, Target},
    error::Error,
    machine::Shape,
    measure::{Measured, measure},
    spirv,
    subject::{Name, Subject},
};

/// What the kernels of ferz cost on AMD GPUs that are not at hand, by the machine code of Mesa's driver.
///
/// Exit codes: 0 done; 1 registers were spilled; 2 usage; 3 machine code that is not understood; 4 no driver;
/// 7 the machine code counts wrong.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compile kernels and print what the driver and the machine code say of them.
    Isa {
        #[command(flatten)]
        what: What,
        /// Print the machine code too.
        #[arg(long)]
        asm: bool,
    },
    /// Execute the machine code on units of real counts, check what it counts, and print instructions a visit.
    ///
    /// Instructions are counted by wave and given for each visit (queen placed) and lane: instructions times lanes
    /// of a wave, divided by visits. So idle lanes and both sides of a branch are in the number. Time is not told.
    Run {
        #[command(flatten)]
        what: What,
        /// Workgroups to execute, of one unit each.
        #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u32).range(1..=1000))]
        workgroups: u32,
        /// Other units for each number.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Also the kinds of turns of the main loop: those that took the same branches.
        #[arg(long)]
        kinds: bool,
    },
    /// SPIR-V from stdin to what the driver says of it; what this program starts for each kernel.
    #[command(name = driver::SUBCOMMAND, hide = true)]
    Serve,
}

#[derive(Args)]
struct What {
    /// The kernel.
    #[arg(long, value_enum)]
    kernel: Name,
    /// Board sizes.
    #[arg(long, value_delimiter = ',', required = true)]
    n: Vec<u32>,
    /// Part of the join: queens on squares of even row and column [default: next to N/4].
    #[arg(long)]
    k: Option<u32>,
    /// Rows of the prefixes of search [default: as ferz chooses on a GPU].
    #[arg(long)]
    depth: Option<u32>,
    /// GPUs by their names in Mesa: navi21 is RDNA 2, gfx1100 RDNA 3, vega10 GCN.
    #[arg(long, value_delimiter = ',', default_values = ["navi21", "gfx1100"])]
    family: Vec<String>,
    /// Invocations of a workgroup.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1024))]
    workgroup: u32,
    /// Lanes of a wave.
    #[arg(long, default_value = "64", value_parser = ["32", "64"])]
    wave: String,
    /// Bounds of indices into workgroup memory are checked, as in ferz, or not.
    #[arg(long, value_enum, default_value = "on")]
    checks: Checks,
    /// The JSON file of Mesa's driver for AMD GPUs [default: $FERZ_RADV_ICD, or that of the system].
    #[arg(long)]
    icd: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Checks {
    On,
    Off,
}

/// Percent of the turns that a kind must have to be printed.
const LEAST_SHARE: f64 = 0.5;

/// A kernel compiled for one GPU.
struct Built {
    subject: Subject,
    family: String,
    compiled: Compiled,
    program: Program,
}

impl What {
    fn shape(&self) -> Shape {
        Shape { workgroup: self.workgroup, wave: if self.wave == "32" { 32 } else { 64 } }
    }

    /// Compiles every board for every GPU, and calls back with each.
    fn each(&self, mut each: impl FnMut(&Built) -> Result<(), Error>) -> Result<(), Error> {
        let icd = self.icd.clone().map_or_else(driver::radv, Ok)?;
        for family in &self.family {
            let target = Target { icd: icd.clone(), family: family.clone(), wave: self.shape().wave };
            for &n in &self.n {
                let subject = Subject::new(self.kernel, n, self.depth, self.k)?;
                subject.takes(self.workgroup)?;
                let module = spirv::compile(&subject.kernel, self.workgroup, self.checks == Checks::On)?;
                let compiled = driver::compile(&module, &target)?;
                let program = Program::parse(&compiled.assembly)?;
                if program.insts.is_empty() {
                    return Err(Error::Driver(format!("{} prints no machine code", compiled.device)));
                }
                each(&Built { subject, family: family.clone(), compiled, program })?;
            }
        }
        Ok(())
    }
}

/// Runs the command line.
///
/// # Errors
///
/// Whatever fails, see [`Error`].
pub fn run() -> Result<(), Error> {
    match Cli::parse().command {
        Command::Serve => driver::serve(),
        Command::Isa { what, asm } => isa(&what, asm),
        Command::Run { what, workgroups, seed, kinds } => execute(&what, workgroups as usize, seed, kinds),
    }
}

/// Prints a text and ends the line. That nobody reads on is no failure.
fn print(text: impl Display) -> Result<(), Error> {
    match writeln!(io::stdout(), "{text}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::Output(format!("the output cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

fn table(head: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN).set_header(head);
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// The first cells of a row.
fn subject_cells(built: &Built) -> Vec<String> {
    let Subject { n, k, kernel, .. } = &built.subject;
    let board = k.map_or_else(|| format!("N = {n}"), |k| format!("N = {n}, k = {k}"));
    vec![format!("{}, {board}", kernel.name), built.family.clone()]
}

fn isa(what: &What, asm: bool) -> Result<(), Error> {
    let mut table = table(&[
        "kernel",
        "GPU",
        "instructions",
        "VGPRs",
        "SGPRs",
        "LDS bytes",
        "waves",
        "scratch",
        "loop: vector",
        "LDS",
        "memory",
        "scalar",
    ]);
    let (mut devices, mut spills) = (Vec::new(), Vec::new());
    what.each(|built| {
        let Built { compiled, program, .. } = built;
        if asm {
            print(&compiled.assembly)?;
        }
        if !devices.contains(&compiled.device) {
            devices.push(compiled.device.clone());
        }
        let mut row = subject_cells(built);
        for name in ["Instructions", "VGPRs", "SGPRs", "LDS size", "Subgroups per SIMD", "Scratch size"] {
            row.push(compiled.statistic(name).map_or_else(|| "?".into(), |value| value.to_string()));
        }
        let Counts { vector, lds, memory, scalar } =
            program.main_loop()?.map(|found| found.counts).unwrap_or_default();
        row.extend([vector, lds, memory, scalar].map(|count| count.to_string()));
        if let Some(spilled) = compiled.spills() {
            spills.push(format!("{}: {spilled}", row[..2].join(", ")));
        }
        table.add_row(row);
        Ok(())
    })?;
    print(format!("{}\n\n{table}\n", devices.join("\n")))?;
    print(
        "Waves: at most so many on a SIMD, by the driver's account. Loop: the longest, each instruction once.",
    )?;
    if spills.is_empty() {
        Ok(())
    } else {
        Err(Error::Spills(format!("registers are spilled: {}", spills.join("; "))))
    }
}

fn execute(what: &What, workgroups: usize, seed: u64, kinds: bool) -> Result<(), Error> {
    let mut totals = table(&[
        "kernel",
        "GPU",
        "units",
        "visits",
        "turns x lanes a visit",
        "vector a visit",
        "LDS",
        "memory",
        "scalar",
    ]);
    let mut by_kind =
        table(&["kernel", "GPU", "ends at", "share of turns %", "vector a turn", "LDS", "memory", "scalar"]);
    let (mut devices, shape) = (Vec::new(), what.shape());
    what.each(|built| {
        let samples = built.subject.sample(workgroups, seed)?;
        let Measured { units, visits, counts, turns, kinds } =
            measure(&built.subject, &built.program, shape, &samples)?;
        if !devices.contains(&built.compiled.device) {
            devices.push(built.compiled.device.clone());
        }
        let a_visit = |count: u64| format!("{:.2}", count as f64 * f64::from(shape.wave) / visits as f64);
        let mut row = subject_cells(built);
        row.extend([units.to_string(), visits.to_string(), a_visit(turns)]);
        row.extend([counts.vector, counts.lds, counts.memory, counts.scalar].map(a_visit));
        totals.add_row(row);
        for (label, kind) in kinds {
            let share = 100.0 * kind.turns as f64 / turns as f64;
            if share < LEAST_SHARE {
                continue;
            }
            let a_turn = |count: u64| format!("{:.1}", count as f64 / kind.turns as f64);
            let mut row = subject_cells(built);
            row.extend([label, format!("{share:.1}")]);
            let Counts { vector, lds, memory, scalar } = kind.counts;
            row.extend([vector, lds, memory, scalar].map(a_turn));
            by_kind.add_row(row);
        }
        Ok(())
    })?;
    print(format!("{}\n\n{totals}\n", devices.join("\n")))?;
    print("Every count was compared with the kernel's twin. Instructions are counted, time is not.")?;
    if kinds {
        print(format!("\n{by_kind}\n\nKinds with less than {LEAST_SHARE} % of the turns are left out."))?;
    }
    Ok(())
}
