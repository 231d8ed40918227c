//! What the host writes for a dispatch, word for word as `shaders/lib/record.wgsl` reads it.

/// The parameters of a dispatch: `Params` in WGSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Params {
    /// Units of this dispatch.
    pub units: u32,
    /// Tag of this dispatch.
    pub run: u32,
    /// Turns of its loops that an invocation may take in all.
    pub budget: u32,
    /// Fills the uniform buffer to 16 bytes.
    pub unused: u32,
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;
    use crate::method::Record;

    /// Offsets of the members of a WGSL struct by name, and its span in bytes.
    fn wgsl_struct(name: &str) -> (Vec<(String, usize)>, usize) {
        let source = include_str!("../../../../shaders/lib/record.wgsl");
        let module =
            naga::front::wgsl::parse_str(source).unwrap_or_else(|e| panic!("{}", e.emit_to_string(source)));
        let found = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name));
        match found.map(|(_, ty)| &ty.inner) {
            Some(naga::TypeInner::Struct { members, span }) => {
                let member = |m: &naga::StructMember| (m.name.clone().unwrap_or_default(), m.offset as usize);
                (members.iter().map(member).collect(), *span as usize)
            }
            other => panic!("no struct {name}: {other:?}"),
        }
    }

    macro_rules! same_layout {
        ($rust:ty, $wgsl:literal, $($field:ident),+) => {{
            let (members, span) = wgsl_struct($wgsl);
            let expected = vec![$((stringify!($field).to_owned(), offset_of!($rust, $field))),+];
            assert_eq!(members, expected);
            assert_eq!(span, size_of::<$rust>());
        }};
    }

    #[test]
    fn rust_and_wgsl_lay_their_structs_out_alike() {
        same_layout!(Params, "Params", units, run, budget, unused);
        same_layout!(Record, "Record", id, run, state, bucket, count, visits);
    }

    #[test]
    fn the_states_are_the_same_words_in_wgsl() {
        let source = include_str!("../../../../shaders/lib/record.wgsl");
        for (name, value) in [("DONE", Record::DONE), ("UNFINISHED", Record::UNFINISHED)] {
            assert!(source.contains(&format!("const {name} = {value:#010x}u;")), "{name}");
        }
    }
}
