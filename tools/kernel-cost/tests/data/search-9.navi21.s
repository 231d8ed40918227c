BB0:
    v_lshl_add_u32 v1, s3, 6, v0
    v_cmp_eq_i32_e32 vcc, 0, v0
    s_and_saveexec_b64 s[0:1], vcc
    s_cbranch_execz BB6
BB1:
    v_mov_b32_e32 v2, 0
    v_lshrrev_b64 v[4:5], 0, 0
    v_lshrrev_b64 v[6:7], 0, 0
    ds_write_b128 v2, v[4:7]
    ds_write_b128 v2, v[4:7] offset:16
BB6:
    s_mov_b64 exec, s[0:1]
    s_movk_i32 s3, 0x8000
    s_load_dwordx4 s[4:7], s[2:3], null
    s_waitcnt lgkmcnt(0)
    s_buffer_load_dword s0, s[4:7], null
    s_waitcnt lgkmcnt(0)
    v_cmp_gt_u32_e64 s[0:1], s0, v1
    s_and_saveexec_b64 s[0:1], s[0:1]
    s_cbranch_execz BB68
BB7:
    s_load_dwordx4 s[8:11], s[2:3], 0x10
    v_lshlrev_b32_e32 v4, 5, v1
    s_waitcnt lgkmcnt(0)
    buffer_load_dwordx4 v[8:11], v4, s[8:11], 0 offen
    v_mov_b32_e32 v5, 0
    v_mov_b32_e32 v6, 0x444f4e45
    s_waitcnt vmcnt(0)
    v_add_nc_u32_e32 v7, -1, v11
    v_lshlrev_b32_e32 v11, v7, v9
    v_or3_b32 v9, v10, v8, v9
    v_not_b32_e32 v9, v9
    v_and_b32_e32 v9, 0x1ff, v9
    v_bcnt_u32_b32 v12, v9, 0
    v_cmp_eq_i32_e64 s[12:13], 0, v7
    v_cndmask_b32_e64 v12, 0, v12, s[12:13]
    v_cndmask_b32_e64 v6, 0x4d4f5245, v6, s[12:13]
    v_cndmask_b32_e64 v9, v9, 0, s[12:13]
    v_mov_b32_e32 v13, 0
    v_mov_b32_e32 v14, v12
    s_mov_b64 s[12:13], exec
    s_mov_b32 s14, 0
BB8:
    s_buffer_load_dword s15, s[4:7], 0x8
    s_waitcnt lgkmcnt(0)
    s_cmp_ge_u32 s14, s15
    s_cbranch_scc1 BB20
BB11:
    v_or_b32_e32 v15, v9, v13
    s_mov_b64 s[16:17], exec
    v_cmpx_eq_i32_e32 0, v15
BB12:
    v_mov_b32_e32 v6, 0x444f4e45
    s_andn2_b64 s[16:17], s[16:17], exec
    s_cbranch_scc0 BB20
BB19:
    s_mov_b64 exec, s[16:17]
    v_cmp_eq_i32_e64 s[16:17], 0, v9
    v_subrev_co_ci_u32_e64 v13, s[18:19], 0, v13, s[16:17]
    v_lshl_add_u32 v15, v13, 6, v0
    v_lshlrev_b32_e32 v15, 2, v15
    ds_read_b32 v16, v15 offset:32
    s_waitcnt lgkmcnt(0)
    v_cndmask_b32_e64 v9, v9, v16, s[16:17]
    v_not_b32_e32 v16, v9
    v_add_nc_u32_e32 v16, 1, v16
    v_and_b32_e32 v16, v9, v16
    v_xor_b32_e32 v17, v8, v16
    v_sub_nc_u32_e32 v18, v7, v13
    v_lshlrev_b32_e32 v19, v18, v16
    v_xor_b32_e32 v19, v11, v19
    v_lshlrev_b32_e32 v20, v13, v16
    v_xor_b32_e32 v20, v10, v20
    v_add_nc_u32_e32 v18, -1, v18
    v_lshrrev_b32_e32 v18, v18, v19
    v_add_nc_u32_e32 v21, 1, v13
    v_lshrrev_b32_e32 v22, v21, v20
    v_or3_b32 v18, v22, v17, v18
    v_not_b32_e32 v18, v18
    v_and_b32_e32 v18, 0x1ff, v18
    v_bcnt_u32_b32 v22, v18, 0
    s_not_b64 s[18:19], s[16:17]
    v_cmp_eq_i32_e64 s[20:21], v21, v7
    s_and_b64 s[22:23], s[20:21], s[18:19]
    v_cndmask_b32_e64 v21, 0, v22, s[22:23]
    v_add_nc_u32_e32 v14, v14, v21
    v_add_co_ci_u32_e64 v21, s[18:19], 0, v21, s[18:19]
    v_add_nc_u32_e32 v12, v12, v21
    s_or_b64 s[18:19], s[16:17], s[20:21]
    v_cmp_eq_i32_e64 s[20:21], 0, v18
    s_or_b64 s[18:19], s[18:19], s[20:21]
    ds_write_b32 v15, v9 offset:32
    s_and_b64 s[16:17], s[18:19], s[16:17]
    s_andn2_b64 s[20:21], -1, s[18:19]
    s_or_b64 s[16:17], s[16:17], s[20:21]
    v_cndmask_b32_e64 v8, v8, v17, s[16:17]
    v_cndmask_b32_e64 v11, v11, v19, s[16:17]
    v_cndmask_b32_e64 v10, v10, v20, s[16:17]
    v_xor_b32_e32 v9, v9, v16
    v_cndmask_b32_e64 v9, v18, v9, s[18:19]
    s_not_b64 s[16:17], s[18:19]
    v_add_co_ci_u32_e64 v13, s[16:17], 0, v13, s[16:17]
    s_add_u32 s14, s14, 1
    s_branch BB8
BB20:
    s_mov_b64 exec, s[12:13]
    s_load_dwordx4 s[12:15], s[2:3], 0x20
    buffer_load_dwordx4 v[8:11], v4, s[8:11], 0 offen offset:16
    s_buffer_load_dword s4, s[4:7], 0x4
    v_mov_b32_e32 v16, v1
    s_waitcnt lgkmcnt(0)
    v_mov_b32_e32 v17, s4
    v_mov_b32_e32 v18, v6
    v_mov_b32_e32 v19, 0
    buffer_store_dwordx4 v[16:19], v4, s[12:15], 0 offen glc
    s_or_saveexec_b64 s[6:7], -1
    v_cndmask_b32_e64 v2, 0, v1, s[6:7]
    v_add_nc_u32_dpp v2, v2, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf fi:1
    v_add_nc_u32_dpp v2, v2, v2 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf fi:1
    v_add_nc_u32_dpp v2, v2, v2 row_half_mirror row_mask:0xf bank_mask:0xf fi:1
    v_add_nc_u32_dpp v2, v2, v2 row_mirror row_mask:0xf bank_mask:0xf fi:1
    v_permlanex16_b32 v3, v2, 0, 0
    v_add_nc_u32_e32 v2, v2, v3
    v_readlane_b32 s5, v2, 0
    v_add_nc_u32_e32 v2, s5, v2
    s_mov_b64 exec, s[6:7]
    v_readlane_b32 s5, v2, 63
    s_ff1_i32_b64 s6, exec
    s_lshl_b64 s[6:7], 1, s6
    s_waitcnt vmcnt(0)
    v_add_nc_u32_e32 v13, v8, v14
    v_cmp_lt_u32_e64 s[8:9], v13, v14
    v_add_co_ci_u32_e64 v0, s[8:9], 0, v9, s[8:9]
    v_add_nc_u32_e32 v1, v10, v12
    v_cmp_lt_u32_e64 s[8:9], v1, v12
    v_add_co_ci_u32_e64 v7, s[8:9], 0, v11, s[8:9]
    v_mov_b32_e32 v8, v13
    v_lshrrev_b64 v[9:10], 0, v[0:1]
    v_mov_b32_e32 v11, v7
    buffer_store_dwordx4 v[8:11], v4, s[12:15], 0 offen offset:16 glc
    s_and_saveexec_b64 s[8:9], s[6:7]
    s_cbranch_execz BB26
BB21:
    v_mov_b32_e32 v4, s5
    ds_add_u32 v5, v4
BB26:
    s_mov_b64 exec, s[8:9]
    s_bcnt1_i32_b64 s5, exec
    s_mul_i32 s4, s4, s5
    s_and_saveexec_b64 s[8:9], s[6:7]
    s_cbranch_execz BB32
BB27:
    v_mov_b32_e32 v4, s4
    v_mov_b32_e32 v12, 4
    ds_add_u32 v12, v4
BB32:
    s_mov_b64 exec, s[8:9]
    s_or_saveexec_b64 s[8:9], -1
    v_cndmask_b32_e64 v2, 0, v6, s[8:9]
    v_add_nc_u32_dpp v2, v2, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf fi:1
    v_add_nc_u32_dpp v2, v2, v2 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf fi:1
    v_add_nc_u32_dpp v2, v2, v2 row_half_mirror row_mask:0xf bank_mask:0xf fi:1
    v_add_nc_u32_dpp v2, v2, v2 row_mirror row_mask:0xf bank_mask:0xf fi:1
    v_permlanex16_b32 v3, v2, 0, 0
    v_add_nc_u32_e32 v2, v2, v3
    v_readlane_b32 s4, v2, 0
    v_add_nc_u32_e32 v2, s4, v2
    s_mov_b64 exec, s[8:9]
    v_readlane_b32 s4, v2, 63
    s_and_saveexec_b64 s[8:9], s[6:7]
    s_cbranch_execz BB38
BB33:
    v_mov_b32_e32 v4, s4
    v_mov_b32_e32 v6, 8
    ds_add_u32 v6, v4
BB38:
    s_mov_b64 exec, s[8:9]
    s_and_saveexec_b64 s[4:5], s[6:7]
    s_cbranch_execz BB44
BB39:
    v_mov_b32_e32 v4, 12
    ds_add_u32 v4, v5
BB44:
    s_mov_b64 exec, s[4:5]
    s_or_saveexec_b64 s[8:9], -1
    v_cndmask_b32_e64 v2, 0, v13, s[8:9]
    v_add_nc_u32_dpp v2, v2, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf fi:1
    v_add_nc_u32_dpp v2, v2, v2 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf fi:1
    v_add_nc_u32_dpp v2, v2, v2 row_half_mirror row_mask:0xf bank_mask:0xf fi:1
    v_add_nc_u32_dpp v2, v2, v2 row_mirror row_mask:0xf bank_mask:0xf fi:1
    v_permlanex16_b32 v3, v2, 0, 0
    v_add_nc_u32_e32 v2, v2, v3
    v_readlane_b32 s4, v2, 0
    v_add_nc_u32_e32 v2, s4, v2
    s_mov_b64 exec, s[8:9]
    v_readlane_b32 s4, v2, 63
    s_and_saveexec_b64 s[8:9], s[6:7]
    s_cbranch_execz BB50
BB45:
    v_mov_b32_e32 v6, s4
    v_mov_b32_e32 v4, 16
    ds_add_u32 v4, v6
BB50:
    s_mov_b64 exec, s[8:9]
    s_or_saveexec_b64 s[8:9], -1
    v_cndmask_b32_e64 v2, 0, v0, s[8:9]
    v_add_nc_u32_dpp v2, v2, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf fi:1
    v_add_nc_u32_dpp v2, v2, v2 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf fi:1
    v_add_nc_u32_dpp v2, v2, v2 row_half_mirror row_mask:0xf bank_mask:0xf fi:1
    v_add_nc_u32_dpp v2, v2, v2 row_mirror row_mask:0xf bank_mask:0xf fi:1
    v_permlanex16_b32 v3, v2, 0, 0
    v_add_nc_u32_e32 v2, v2, v3
    v_readlane_b32 s4, v2, 0
    v_add_nc_u32_e32 v2, s4, v2
    s_mov_b64 exec, s[8:9]
    v_readlane_b32 s4, v2, 63
    s_and_saveexec_b64 s[8:9], s[6:7]
    s_cbranch_execz BB56
BB51:
    v_mov_b32_e32 v0, s4
    v_mov_b32_e32 v6, 20
    ds_add_u32 v6, v0
BB56:
    s_mov_b64 exec, s[8:9]
    s_or_saveexec_b64 s[8:9], -1
    v_cndmask_b32_e64 v2, 0, v1, s[8:9]
    v_add_nc_u32_dpp v2, v2, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf fi:1
    v_add_nc_u32_dpp v2, v2, v2 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf fi:1
    v_add_nc_u32_dpp v2, v2, v2 row_half_mirror row_mask:0xf bank_mask:0xf fi:1
    v_add_nc_u32_dpp v2, v2, v2 row_mirror row_mask:0xf bank_mask:0xf fi:1
    v_permlanex16_b32 v3, v2, 0, 0
    v_add_nc_u32_e32 v2, v2, v3
    v_readlane_b32 s4, v2, 0
    v_add_nc_u32_e32 v2, s4, v2
    s_mov_b64 exec, s[8:9]
    v_readlane_b32 s4, v2, 63
    s_and_saveexec_b64 s[8:9], s[6:7]
    s_cbranch_execz BB62
BB57:
    v_mov_b32_e32 v0, s4
    v_mov_b32_e32 v1, 24
    ds_add_u32 v1, v0
BB62:
    s_mov_b64 exec, s[8:9]
    s_or_saveexec_b64 s[8:9], -1
    v_cndmask_b32_e64 v2, 0, v7, s[8:9]
    v_add_nc_u32_dpp v2, v2, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf fi:1
    v_add_nc_u32_dpp v2, v2, v2 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf fi:1
    v_add_nc_u32_dpp v2, v2, v2 row_half_mirror row_mask:0xf bank_mask:0xf fi:1
    v_add_nc_u32_dpp v2, v2, v2 row_mirror row_mask:0xf bank_mask:0xf fi:1
    v_permlanex16_b32 v3, v2, 0, 0
    v_add_nc_u32_e32 v2, v2, v3
    v_readlane_b32 s4, v2, 0
    v_add_nc_u32_e32 v2, s4, v2
    s_mov_b64 exec, s[8:9]
    v_readlane_b32 s4, v2, 63
    s_and_saveexec_b64 s[6:7], s[6:7]
    s_cbranch_execz BB68
BB63:
    v_mov_b32_e32 v0, s4
    v_mov_b32_e32 v1, 28
    ds_add_u32 v1, v0
BB68:
BB73:
    s_mov_b64 exec, s[0:1]
    s_and_saveexec_b64 s[0:1], vcc
    s_cbranch_execz BB79
BB74:
    v_mov_b32_e32 v0, 0
    ds_read_b128 v[4:7], v0
    s_load_dwordx4 s[4:7], s[2:3], 0x30
    s_waitcnt lgkmcnt(0)
    buffer_atomic_add v4, off, s[4:7], 0
    buffer_atomic_add v5, off, s[4:7], 0 offset:4
    buffer_atomic_add v6, off, s[4:7], 0 offset:8
    buffer_atomic_add v7, off, s[4:7], 0 offset:12
    ds_read_b128 v[0:3], v0 offset:16
    s_waitcnt lgkmcnt(0)
    buffer_atomic_add v0, off, s[4:7], 0 offset:16
    buffer_atomic_add v1, off, s[4:7], 0 offset:20
    buffer_atomic_add v2, off, s[4:7], 0 offset:24
    buffer_atomic_add v3, off, s[4:7], 0 offset:28
BB79:
    s_endpgm
