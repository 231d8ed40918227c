use super::*;

const WAVE: Shape = Shape { workgroup: 64, wave: 64 };

/// Executes a program that leaves a word of each invocation in v2; the words, and what was executed. s[4:7] is the
/// buffer that they are stored to, v1 four times the invocation's number.
fn execute(body: &str, shape: Shape, watched: bool) -> Result<(Vec<u32>, Executed), Error> {
    let text = format!(
        "s_load_dwordx4 s[4:7], s[2:3], 0x10
         v_lshlrev_b32_e32 v1, 2, v0
         {body}
         buffer_store_dword v2, v1, s[4:7], 0 offen
         s_endpgm"
    );
    let program = Program::parse(&text)?;
    let watched = if watched { program.main_loop()? } else { None };
    let mut memory = Memory::new(vec![Vec::new(), vec![u32::MAX; shape.workgroup as usize]], 512);
    let executed = Machine::new(&program, watched)?.dispatch(shape, 1, &mut memory)?;
    Ok((memory.buffers.swap_remove(1), executed))
}

fn words(body: &str) -> Vec<u32> {
    execute(body, WAVE, false).map_or_else(|error| panic!("{body}: {error}"), |(words, _)| words)
}

#[track_caller]
fn leaves(body: &str, expected: impl Fn(u32) -> u32) {
    assert_eq!(words(body), (0..64).map(expected).collect::<Vec<_>>(), "{body}");
}

#[test]
fn vector_instructions_compute_in_each_lane() {
    leaves("v_lshl_or_b32 v2, v0, 8, v0", |lane| lane << 8 | lane);
    leaves("v_bcnt_u32_b32 v2, v0, 100", |lane| 100 + lane.count_ones());
    leaves("v_subrev_nc_u32_e32 v2, 5, v0", |lane| lane.wrapping_sub(5));
    leaves("v_lshrrev_b32_e32 v2, v0, -1", |lane| u32::MAX >> (lane & 31));
    leaves("v_add_lshl_u32 v2, v0, 3, 4", |lane| (lane + 3) << 4);
    leaves("v_max3_u32 v2, v0, 20, 9", |lane| lane.max(20));
    leaves("v_bfe_u32 v2, v0, 1, 3", |lane| lane >> 1 & 7);
    leaves("v_mov_b32_e32 v3, v0\nv_mov_b32_e32 v2, 9\nv_swap_b32 v2, v3", |lane| lane);
    // 64 bits: the low word of the pair is stored
    leaves("v_mov_b32_e32 v3, v0\nv_lshrrev_b64 v[2:3], 31, v[2:3]", |lane| lane << 1 | 1);
}

#[test]
fn masks_say_which_lanes_take_part() {
    leaves(
        "v_mov_b32_e32 v2, 7\ns_mov_b64 s[8:9], exec\nv_cmpx_gt_u32_e32 10, v0\nv_mov_b32_e32 v2, 8
         s_mov_b64 exec, s[8:9]",
        |lane| if lane < 10 { 8 } else { 7 },
    );
    leaves(
        "v_mov_b32_e32 v2, 7\nv_cmp_le_u32_e64 s[8:9], 60, v0\ns_and_saveexec_b64 s[8:9], s[8:9]
         s_cbranch_execz BB1\nv_mov_b32_e32 v2, 8\nBB1:\ns_mov_b64 exec, s[8:9]",
        |lane| if lane >= 60 { 8 } else { 7 },
    );
    leaves("v_cmp_lt_i32_e64 s[8:9], 61, v0\nv_cndmask_b32_e64 v2, 1, v0, s[8:9]", |lane| {
        if lane > 61 { lane } else { 1 }
    });
    // carries
    leaves(
        "v_mov_b32_e32 v3, -2\nv_add_co_u32_e64 v3, s[8:9], v3, v0\nv_add_co_ci_u32_e64 v2, s[8:9], 0, 5, s[8:9]",
        |lane| 5 + u32::from(lane >= 2),
    );
    leaves("v_cmp_eq_u32_e64 s[8:9], 0, v0\nv_subrev_co_ci_u32_e64 v2, s[10:11], 0, v0, s[8:9]", |lane| {
        if lane == 0 { u32::MAX } else { lane }
    });
}

#[test]
fn lanes_count_and_read_each_other() {
    leaves("v_mbcnt_lo_u32_b32 v2, -1, 0\nv_mbcnt_hi_u32_b32 v2, -1, v2", |lane| lane);
    leaves("v_mbcnt_lo_u32_b32 v2, 0xf0, 3", |lane| 3 + lane.saturating_sub(4).min(4));
    leaves("v_readlane_b32 s8, v0, 41\nv_add_nc_u32_e32 v2, s8, v0", |lane| 41 + lane);
    leaves(
        "s_mov_b64 s[8:9], exec\nv_cmpx_lt_u32_e32 5, v0\nv_readfirstlane_b32 s10, v0\ns_mov_b64 exec, s[8:9]
         v_mov_b32_e32 v2, s10",
        |_| 6,
    );
    leaves("v_permlanex16_b32 v2, v0, 0, 0", |lane| (lane & !15) ^ 16);
    leaves("v_mov_b32_dpp v2, v0 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf", |lane| lane ^ 1);
    leaves("v_mov_b32_dpp v2, v0 row_half_mirror row_mask:0xf bank_mask:0xf", |lane| lane ^ 7);
    leaves("v_mov_b32_e32 v2, 99\nv_mov_b32_dpp v2, v0 row_shr:3 row_mask:0xf bank_mask:0xf", |lane| {
        if lane % 16 < 3 { 99 } else { lane - 3 }
    });
    leaves("v_mov_b32_dpp v2, v0 row_shr:3 row_mask:0xf bank_mask:0xf bound_ctrl:0", |lane| {
        if lane % 16 < 3 { 0 } else { lane - 3 }
    });
    leaves("v_mov_b32_e32 v2, 99\nv_mov_b32_dpp v2, v0 row_bcast:15 row_mask:0xa bank_mask:0xf", |lane| {
        if lane / 16 % 2 == 1 { (lane & !15) - 1 } else { 99 }
    });
}

/// The sum over all lanes, as Mesa's compiler makes it for a wave of 64 on RDNA 2 and on Vega.
#[test]
fn a_sum_over_the_lanes_is_their_sum() {
    let steps = "v_mov_b32_e32 v2, v0
        v_add_nc_u32_dpp v2, v2, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf fi:1
        v_add_nc_u32_dpp v2, v2, v2 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf fi:1
        v_add_nc_u32_dpp v2, v2, v2 row_half_mirror row_mask:0xf bank_mask:0xf fi:1
        v_add_nc_u32_dpp v2, v2, v2 row_mirror row_mask:0xf bank_mask:0xf fi:1";
    let rdna = "v_permlanex16_b32 v3, v2, 0, 0
        v_add_nc_u32_e32 v2, v2, v3
        v_readlane_b32 s8, v2, 0
        v_add_nc_u32_e32 v2, s8, v2
        v_readlane_b32 s8, v2, 63";
    let vega = "v_add_u32_dpp v2, v2, v2 row_bcast:15 row_mask:0xa bank_mask:0xf
        v_add_u32_dpp v2, v2, v2 row_bcast:31 row_mask:0xc bank_mask:0xf
        v_readlane_b32 s8, v2, 63";
    for last in [rdna, vega] {
        leaves(&format!("{steps}\n{last}\nv_mov_b32_e32 v2, s8"), |_| 63 * 64 / 2);
    }
}

#[test]
fn parts_of_words_are_read_and_written() {
    leaves(
        "v_lshl_or_b32 v3, v0, 16, 9
         v_add_nc_u32_sdwa v2, v3, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:WORD_1",
        |lane| 9 + lane,
    );
    leaves(
        "v_mov_b32_e32 v2, -1
         v_mov_b32_sdwa v2, v0 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD",
        |lane| lane << 16 | 0xffff,
    );
    leaves("v_not_b32_sdwa v2, v0 dst_sel:WORD_0 dst_unused:UNUSED_PAD src0_sel:DWORD", |lane| {
        !lane & 0xffff
    });
}

#[test]
fn the_scalar_unit_sets_and_reads_its_condition() {
    let scalar = |body: &str| words(&format!("{body}\nv_mov_b32_e32 v2, s8"))[17];
    assert_eq!(scalar("s_movk_i32 s8, 0x8000"), 0xffff_8000);
    assert_eq!(scalar("s_mov_b32 s8, 30\ns_addk_i32 s8, 0xffeb"), 9);
    assert_eq!(scalar("s_bfe_u32 s8, 0x12345678, 0x80008"), 0x56);
    assert_eq!(scalar("s_bfm_b32 s8, 16, 4"), 0xf_fff0);
    assert_eq!(scalar("s_lshl2_add_u32 s8, 5, -1"), 19);
    assert_eq!(scalar("s_ff1_i32_b32 s8, 0"), u32::MAX);
    assert_eq!(scalar("s_flbit_i32_b32 s8, 1"), 31);
    assert_eq!(scalar("s_add_u32 s9, -1, 1\ns_addc_u32 s8, 0, 4"), 5);
    assert_eq!(scalar("s_cmp_lt_u32 3, 2\ns_cselect_b32 s8, 4, 6"), 6);
    assert_eq!(scalar("s_andn2_b64 s[8:9], 6, 6\ns_mov_b32 s8, src_scc"), 0);
    assert_eq!(scalar("s_lshl_b64 s[8:9], 1, 40\ns_mov_b32 s8, s9"), 1 << 8);
    assert_eq!(scalar("s_pack_ll_b32_b16 s8, 0x70001, 2"), 0x2_0001);
}

#[test]
fn workgroup_memory_is_shared_and_bounded() {
    leaves("ds_write_b32 v1, v0 offset:8\nds_read_b32 v2, v1 offset:8", |lane| lane);
    leaves("ds_write2_b32 v1, v0, v1 offset1:64\nds_read2_b32 v[2:3], v1 offset0:64 offset1:0", |lane| {
        4 * lane
    });
    leaves(
        "v_mov_b32_e32 v3, 0\nv_mov_b32_e32 v4, 5\nds_write_b32 v3, v3\nds_add_rtn_u32 v2, v3, v4",
        |lane| 5 * lane,
    );
    for (body, what) in [
        ("ds_read_b32 v2, v1 offset:260", "byte 512, of 512"),
        ("ds_read_b32 v2, v0", "byte 1, of 512"),
        ("buffer_load_dword v2, v1, s[8:11], 0 offen", "no descriptor"),
        ("s_load_dwordx4 s[8:11], s[2:3], 0x20", "no descriptor"),
    ] {
        let Err(error) = execute(body, WAVE, false) else { panic!("{body}") };
        assert!(error.to_string().contains(what), "{body}: {error}");
        assert_eq!(error.exit_code(), 7);
    }
}

#[test]
fn buffers_are_bounded_as_in_hardware() {
    leaves(
        "buffer_load_dword v2, v1, s[4:7], 0 offen offset:252",
        |lane| if lane == 0 { u32::MAX } else { 0 },
    );
    let all = words("v_mov_b32_e32 v2, 1\nbuffer_atomic_add v2, off, s[4:7], 0\nv_add_nc_u32_e32 v1, 4, v1");
    // 64 lanes have added 1 to the first word, and the last lane's own word lies outside
    assert_eq!((all[0], all[1], all.len()), (63, 1, 64));
}

/// Lane i takes i % 4 + 1 turns, so a wave takes 4: what lanes wait for others is in the count.
const LOOP: &str = "v_and_b32_e32 v3, 3, v0
    v_mov_b32_e32 v2, 0
    s_mov_b64 s[8:9], exec
    BB1:
    v_add_nc_u32_e32 v2, 1, v2
    v_cmp_ge_u32_e64 s[10:11], v3, v2
    s_and_b64 exec, s[10:11], exec
    s_cbranch_scc1 BB1
    BB2:
    s_mov_b64 exec, s[8:9]";

#[test]
fn a_wave_takes_the_turns_of_its_slowest_lane() {
    let (words, executed) = execute(LOOP, WAVE, true).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(words, (0..64).map(|lane| lane % 4 + 1).collect::<Vec<_>>());
    let turns: u64 = executed.turns.values().map(|kind| kind.turns).sum();
    let vector: u64 = executed.turns.values().map(|kind| kind.counts.vector).sum();
    assert_eq!((turns, vector), (4, 8));
    // three turns branch back and one does not: two kinds
    let mut kinds: Vec<u64> = executed.turns.values().map(|kind| kind.turns).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, [1, 3]);
    // two waves of 32 lanes count their own
    let shape = Shape { workgroup: 64, wave: 32 };
    let narrow = LOOP.replace("s_and_b64 exec, s[10:11], exec", "s_and_b32 exec_lo, s10, exec_lo");
    let (words, executed) = execute(&narrow, shape, true).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(words[63], 4);
    assert_eq!(executed.turns.values().map(|kind| kind.turns).sum::<u64>(), 8);
}

#[test]
fn waves_wait_for_each_other_at_barriers() {
    let body = "v_mov_b32_e32 v3, 63
        v_sub_nc_u32_e32 v3, v3, v0
        v_lshlrev_b32_e32 v3, 2, v3
        ds_write_b32 v3, v0
        s_barrier
        ds_read_b32 v2, v1";
    for wave in [32, 64] {
        let shape = Shape { workgroup: 64, wave };
        let (words, executed) = execute(body, shape, false).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(words, (0..64).rev().collect::<Vec<_>>());
        assert_eq!(executed.times[0], u64::from(64 / wave));
    }
    // without the barrier the first wave reads what nobody has written
    let (words, _) = execute(&body.replace("s_barrier", ""), Shape { workgroup: 64, wave: 32 }, false)
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(words[0], 0xdead_beef);
}

#[test]
fn what_cannot_be_executed_is_named() {
    for (body, what) in [
        ("v_sin_f32_e32 v2, v0", "cannot execute"),
        ("s_setpc_b64 s[8:9]", "cannot execute"),
        ("v_mov_b32_dpp v2, v0 wave_rol:1 row_mask:0xf bank_mask:0xf", "'wave_rol'"),
        ("v_mov_b32_sdwa v2, v0 dst_sel:NIBBLE src0_sel:DWORD", "'NIBBLE'"),
        ("v_add_nc_u32_e32 v2, v0", "operands"),
        ("s_add_u32 s8, v0, 1", "operands"),
    ] {
        let Err(error) = execute(body, WAVE, false) else { panic!("{body}") };
        assert!(error.to_string().contains(what), "{body}: {error}");
    }
    // but what is not reached does no harm
    leaves("v_mov_b32_e32 v2, v0\ns_branch BB9\nv_sin_f32_e32 v2, v0\nBB9:", |lane| lane);
}

#[test]
fn a_loop_without_end_is_an_error() {
    let program = Program::parse("s_load_dwordx4 s[4:7], s[2:3], 0x0\nBB1:\ns_branch BB1");
    let program = program.unwrap_or_else(|error| panic!("{error}"));
    let mut machine = Machine::new(&program, None).unwrap_or_else(|error| panic!("{error}"));
    machine.left = 1000;
    let error = machine.dispatch(WAVE, 1, &mut Memory::new(vec![vec![0]], 0)).map(|executed| executed.times);
    assert!(error.is_err_and(|error| error.to_string().contains("does not come to an end")));
}
