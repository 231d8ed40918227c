//! What the kernels of ferz cost on GPUs that are not at hand.
//!
//! A kernel is compiled by the compiler of a real driver (Mesa's for AMD GPUs, which needs no card for it), and the
//! machine code is executed on real units by an interpreter, wave by wave. So the number of instructions that a unit
//! takes is counted, with all that waves do while some of their lanes have nothing to do, and what the machine code
//! counts is compared with the kernel's twin. Time is not imitated: how many instructions a cycle a card issues, how
//! long memory takes and what hides it remain for a card to tell.

pub mod cli;
pub mod code;
pub mod driver;
pub mod error;
pub mod machine;
pub mod measure;
pub mod spirv;
pub mod subject;
