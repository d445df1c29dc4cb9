//! Standard normal numbers by the ziggurat method, the stream of NumPy's `Generator`.
//!
//! The layer widths are NumPy's to the last bit (they were read off its output; computing them anew gives slightly
//! different ones). Heights and acceptance limits follow from them; an error in their last bit cannot show.
//! Method: G. Marsaglia and W. W. Tsang, "The ziggurat method for generating random variables" (2000).

use super::bits::Bits;
use crate::numerics::real::{Real, power_of_two};

/// Where the tail begins.
const TAIL: f64 = 3.654_152_885_361_009;

/// Layer widths divided by 2^52, as bits of binary64.
const WIDTHS: [u64; 256] = [
    0x3ccf_493b_7815_d979,
    0x3c8b_8d0b_e3fd_f6c6,
    0x3c92_50af_3c2c_5bb4,
    0x3c95_7cb9_3844_3b61,
    0x3c98_01fc_e82f_a70c,
    0x3c9a_230c_2e4c_d0bc,
    0x3c9c_004d_2f38_61f7,
    0x3c9d_ac2f_5a74_7274,
    0x3c9f_3248_2d4c_d5c3,
    0x3ca0_4d32_278e_bbad,
    0x3ca0_f505_3b02_5d43,
    0x3ca1_92a6_9741_3677,
    0x3ca2_27a2_8f7a_1af5,
    0x3ca2_b52e_3863_d880,
    0x3ca3_3c3f_c057_91f5,
    0x3ca3_bd9e_c1a2_b12f,
    0x3ca4_39ef_8dff_9b55,
    0x3ca4_b1bb_363d_fea7,
    0x3ca5_2575_621a_d374,
    0x3ca5_9580_a707_ce96,
    0x3ca6_0231_cfd9_7eea,
    0x3ca6_6bd2_61a3_7c3d,
    0x3ca6_d2a2_9200_0570,
    0x3ca7_36da_d346_f8a6,
    0x3ca7_98ad_10b3_2a77,
    0x3ca7_f845_ad46_f543,
    0x3ca8_55cc_5343_0a77,
    0x3ca8_b164_9e7b_769a,
    0x3ca9_0b2e_a94e_cf98,
    0x3ca9_6347_822c_1eea,
    0x3ca9_b9c9_8e38_c546,
    0x3caa_0ecc_dca4_a72c,
    0x3caa_6267_6d77_cd59,
    0x3caa_b4ad_6e10_1630,
    0x3cab_05b1_6d13_6c9c,
    0x3cab_5584_8742_7a29,
    0x3cab_a436_8e52_9f3a,
    0x3cab_f1d6_2abf_8232,
    0x3cac_3e70_f959_4ef3,
    0x3cac_8a13_a532_3b61,
    0x3cac_d4c9_fe72_268b,
    0x3cad_1e9f_0e80_b748,
    0x3cad_679d_29e4_1f10,
    0x3cad_afce_0023_b8c3,
    0x3cad_f73a_a9f1_7653,
    0x3cae_3deb_b5d2_edfe,
    0x3cae_83e9_337a_6f00,
    0x3cae_c93a_bdf9_82ce,
    0x3caf_0de7_84f0_6226,
    0x3caf_51f6_54d8_f688,
    0x3caf_956d_9e87_d7ae,
    0x3caf_d853_7dfa_2eac,
    0x3cb0_0d56_e042_34ec,
    0x3cb0_2e40_f539_8f9a,
    0x3cb0_4eea_9e16_a5fc,
    0x3cb0_6f56_5b72_a010,
    0x3cb0_8f86_9071_f40b,
    0x3cb0_af7d_84bc_6113,
    0x3cb0_cf3d_664b_cc7f,
    0x3cb0_eec8_4b16_086b,
    0x3cb1_0e20_3295_15ee,
    0x3cb1_2d47_0731_0fbe,
    0x3cb1_4c3e_9f8e_9141,
    0x3cb1_6b08_bfc4_201e,
    0x3cb1_89a7_1a78_da34,
    0x3cb1_a81b_51ee_6d88,
    0x3cb1_c666_f8f8_2acb,
    0x3cb1_e48b_93e0_d42e,
    0x3cb2_028a_9940_a09f,
    0x3cb2_2065_72c4_c6e9,
    0x3cb2_3e1d_7de9_c31f,
    0x3cb2_5bb4_0ca9_6bfb,
    0x3cb2_792a_661d_d37f,
    0x3cb2_9681_c719_d71b,
    0x3cb2_b3bb_62b8_2eda,
    0x3cb2_d0d8_62e1_b853,
    0x3cb2_edd9_e8cb_a98e,
    0x3cb3_0ac1_0d6e_48d7,
    0x3cb3_278e_e1f4_b930,
    0x3cb3_4444_7026_5ea1,
    0x3cb3_60e2_baca_52d5,
    0x3cb3_7d6a_be05_586a,
    0x3cb3_99dd_6fb2_b264,
    0x3cb3_b63b_bfb8_3d03,
    0x3cb3_d286_9856_1de0,
    0x3cb3_eebe_de72_5a83,
    0x3cb4_0ae5_71e0_9e74,
    0x3cb4_26fb_2da6_745d,
    0x3cb4_4300_e83c_30a4,
    0x3cb4_5ef7_73ca_c75d,
    0x3cb4_7adf_9e66_c336,
    0x3cb4_96ba_3248_8f2f,
    0x3cb4_b287_f602_415d,
    0x3cb4_ce49_acb3_11dc,
    0x3cb4_ea00_1638_a605,
    0x3cb5_05ab_ef5e_5562,
    0x3cb5_214d_f20a_8b5a,
    0x3cb5_3ce6_d56a_664f,
    0x3cb5_5877_4e1b_b2c8,
    0x3cb5_7400_0e55_5f78,
    0x3cb5_8f81_c60e_8514,
    0x3cb5_aafd_2324_1b59,
    0x3cb5_c672_d17d_733d,
    0x3cb5_e1e3_7b2f_8cd3,
    0x3cb5_fd4f_c89f_5e38,
    0x3cb6_18b8_60a3_1fc3,
    0x3cb6_341d_e8a2_b0a2,
    0x3cb6_4f81_04b7_260b,
    0x3cb6_6ae2_57c9_9672,
    0x3cb6_8642_83b1_3137,
    0x3cb6_a1a2_2950_b2b1,
    0x3cb6_bd01_e8b3_43bb,
    0x3cb6_d862_6128_d352,
    0x3cb6_f3c4_3161_f854,
    0x3cb7_0f27_f78b_68eb,
    0x3cb7_2a8e_5169_14c6,
    0x3cb7_45f7_dc70_eedc,
    0x3cb7_6165_35e5_731f,
    0x3cb7_7cd6_faef_f449,
    0x3cb7_984d_c8ba_bd93,
    0x3cb7_b3ca_3c8b_1409,
    0x3cb7_cf4c_f3db_22fb,
    0x3cb7_ead6_8c73_dee7,
    0x3cb8_0667_a486_ea1f,
    0x3cb8_2200_dac8_8676,
    0x3cb8_3da2_ce89_9f15,
    0x3cb8_594e_1fd1_f5bd,
    0x3cb8_7503_6f7a_7ec5,
    0x3cb8_90c3_5f47_f72d,
    0x3cb8_ac8e_9205_c043,
    0x3cb8_c865_aba1_0c9c,
    0x3cb8_e449_5144_6a27,
    0x3cb9_003a_2973_b58f,
    0x3cb9_1c38_dc28_8347,
    0x3cb9_3846_12ef_0afc,
    0x3cb9_5462_7903_a28a,
    0x3cb9_708e_bb70_d5ee,
    0x3cb9_8ccb_892e_2a31,
    0x3cb9_a919_933f_99bf,
    0x3cb9_c579_8cd5_d92c,
    0x3cb9_e1ec_2b6f_7411,
    0x3cb9_fe72_26fa_d24a,
    0x3cba_1b0c_39f9_3692,
    0x3cba_37bb_21a2_c85b,
    0x3cba_547f_9e0b_bb88,
    0x3cba_715a_724a_a9a4,
    0x3cba_8e4c_64a0_313d,
    0x3cba_ab56_3e9f_f108,
    0x3cba_c878_cd5a_f5ce,
    0x3cba_e5b4_e18b_b336,
    0x3cbb_030b_4fc3_a11a,
    0x3cbb_207c_f09a_985b,
    0x3cbb_3e0a_a0e0_0c00,
    0x3cbb_5bb5_41ce_3d03,
    0x3cbb_797d_b93f_8927,
    0x3cbb_9764_f1e5_f73c,
    0x3cbb_b56b_db85_256e,
    0x3cbb_d393_6b2e_c0a2,
    0x3cbb_f1dc_9b81_ae83,
    0x3cbc_1048_6cec_16a0,
    0x3cbc_2ed7_e5f0_7a2d,
    0x3cbc_4d8c_136e_0d1c,
    0x3cbc_6c66_08ec_8705,
    0x3cbc_8b66_e0eb_a617,
    0x3cbc_aa8f_bd36_a2ab,
    0x3cbc_c9e1_c73b_d690,
    0x3cbc_e95e_3068_e037,
    0x3cbd_0906_328b_8f6e,
    0x3cbd_28db_1037_ef20,
    0x3cbd_48de_1533_c647,
    0x3cbd_6910_96e7_f123,
    0x3cbd_8973_f4d7_fba5,
    0x3cbd_aa09_9920_6e70,
    0x3cbd_cad2_f8fc_490e,
    0x3cbd_ebd1_9552_2e37,
    0x3cbe_0d06_fb49_d21c,
    0x3cbe_2e74_c4ea_46f6,
    0x3cbe_501c_99c1_d188,
    0x3cbe_7200_2f97_fe25,
    0x3cbe_9421_4b2a_bf0a,
    0x3cbe_b681_c0f7_6f08,
    0x3cbe_d923_7610_a73a,
    0x3cbe_fc08_6101_eca9,
    0x3cbf_1f32_8ac2_5321,
    0x3cbf_42a4_0fb7_4d6d,
    0x3cbf_665f_20c9_0168,
    0x3cbf_8a66_0489_9782,
    0x3cbf_aebb_1871_22bf,
    0x3cbf_d360_d22f_e785,
    0x3cbf_f859_c118_f60b,
    0x3cc0_0ed4_47d3_a075,
    0x3cc0_21a8_028f_c947,
    0x3cc0_34a9_83a9_02ab,
    0x3cc0_47da_4e3e_f5c7,
    0x3cc0_5b3b_f6ad_b37e,
    0x3cc0_6ed0_23a7_2668,
    0x3cc0_8298_8f63_2e17,
    0x3cc0_9697_08e8_a254,
    0x3cc0_aacd_7571_c0c4,
    0x3cc0_bf3d_d1ee_d448,
    0x3cc0_d3ea_34aa_3d30,
    0x3cc0_e8d4_cf11_6593,
    0x3cc0_fdff_efa6_9fb6,
    0x3cc1_136e_0420_7041,
    0x3cc1_2921_9bbb_5d35,
    0x3cc1_3f1d_69c4_096d,
    0x3cc1_5564_4860_2e3b,
    0x3cc1_6bf9_3b9d_eef3,
    0x3cc1_82df_74d2_1261,
    0x3cc1_9a1a_564e_ebac,
    0x3cc1_b1ad_777f_2f8e,
    0x3cc1_c99c_a971_a694,
    0x3cc1_e1eb_fbe4_ae39,
    0x3cc1_fa9f_c2e2_d901,
    0x3cc2_13bc_9d04_cc81,
    0x3cc2_2d47_7a6f_d3ee,
    0x3cc2_4745_a4ac_9c24,
    0x3cc2_61bc_c776_58e0,
    0x3cc2_7cb2_faa8_592e,
    0x3cc2_982e_cd77_0e78,
    0x3cc2_b437_532a_0a52,
    0x3cc2_d0d4_3196_db97,
    0x3cc2_ee0d_b1a9_78f5,
    0x3cc3_0bec_d256_aeee,
    0x3cc3_2a7b_5e68_a4a3,
    0x3cc3_49c4_05ae_12a3,
    0x3cc3_69d2_7a33_a840,
    0x3cc3_8ab3_9256_410a,
    0x3cc3_ac75_70ae_88fa,
    0x3cc3_cf27_b317_04a6,
    0x3cc3_f2db_aa60_f475,
    0x3cc4_17a4_9cb9_e5da,
    0x3cc4_3d98_1554_5e94,
    0x3cc4_64ce_44a7_3a15,
    0x3cc4_8d62_759c_43bc,
    0x3cc4_b773_9d6b_5a27,
    0x3cc4_e325_0dcd_8902,
    0x3cc5_109f_53e9_ac41,
    0x3cc5_4011_523a_7e42,
    0x3cc5_71b1_a94a_e41b,
    0x3cc5_a5c0_8b71_8dd9,
    0x3cc5_dc8a_243a_d0fe,
    0x3cc6_1669_cf86_1e4c,
    0x3cc6_53ce_7b00_6aea,
    0x3cc6_9540_be9f_e5c3,
    0x3cc6_db6b_8d09_e232,
    0x3cc7_2728_f05f_7a34,
    0x3cc7_7995_5609_0673,
    0x3cc7_d42d_f4d6_ce8c,
    0x3cc8_3903_0529_f234,
    0x3cc8_ab0f_bfaa_7c14,
    0x3cc9_2ee0_946f_4496,
    0x3cc9_cbee_0140_57ab,
    0x3cca_8fdc_7894_775a,
    0x3ccb_981f_3878_fdb1,
    0x3ccd_3bb4_8209_ad33,
];

/// The tables of the method.
pub struct Ziggurat {
    widths: Vec<f64>,
    limits: Vec<u64>,
    heights: Vec<f64>,
}

impl Ziggurat {
    /// Derives limits and heights from the widths.
    pub fn new() -> Self {
        let widths: Vec<f64> = WIDTHS.iter().map(|&bits| f64::from_bits(bits)).collect();
        let edges: Vec<f64> = widths.iter().map(|width| width * power_of_two(52)).collect();
        let limit = |i: usize| match i {
            0 => edges[255] / edges[0],
            1 => 0.0,
            _ => edges[i - 1] / edges[i],
        };
        let limits = (0..256).map(|i| (limit(i) * power_of_two(52)) as u64).collect();
        let heights = (0..256)
            .map(|i| {
                if i == 0 {
                    1.0
                } else {
                    Real::exp(-0.5 * edges[i] * edges[i])
                }
            })
            .collect();
        Self {
            widths,
            limits,
            heights,
        }
    }

    /// A normal number of binary64.
    pub fn wide(&self, bits: &mut Bits) -> f64 {
        loop {
            let random = bits.next_u64();
            let layer = (random & 0xff) as usize;
            let negative = (random >> 8) & 1 == 1;
            let magnitude = (random >> 9) & 0x000f_ffff_ffff_ffff;
            let x = magnitude as f64 * self.widths[layer];
            let x = if negative { -x } else { x };
            if magnitude < self.limits[layer] {
                return x;
            }
            if layer == 0 {
                return tail_wide(bits, (magnitude >> 8) & 1 == 1);
            }
            let (low, high) = (self.heights[layer], self.heights[layer - 1]);
            if (high - low) * bits.next_f64() + low < Real::exp(-0.5 * x * x) {
                return x;
            }
        }
    }

    /// A normal number of binary32.
    pub fn single(&self, bits: &mut Bits) -> f32 {
        loop {
            let random = bits.next_u32();
            let layer = (random & 0xff) as usize;
            let negative = (random >> 8) & 1 == 1;
            let magnitude = (random >> 9) & 0x007f_ffff;
            let x = magnitude as f32 * (self.widths[layer] * power_of_two(29)) as f32;
            let x = if negative { -x } else { x };
            if u64::from(magnitude) < self.limits[layer] >> 29 {
                return x;
            }
            if layer == 0 {
                return tail_single(bits, (magnitude >> 8) & 1 == 1);
            }
            let (low, high) = (self.heights[layer] as f32, self.heights[layer - 1] as f32);
            if f64::from((high - low) * bits.next_f32() + low) < Real::exp(-0.5 * f64::from(x) * f64::from(x)) {
                return x;
            }
        }
    }
}

/// A number beyond the last layer.
fn tail_wide(bits: &mut Bits, negative: bool) -> f64 {
    loop {
        let x = -(1.0 / TAIL) * Real::log1p(-bits.next_f64());
        let y = -Real::log1p(-bits.next_f64());
        if y + y > x * x {
            return if negative { -(TAIL + x) } else { TAIL + x };
        }
    }
}

/// As [`tail_wide`], in binary32.
fn tail_single(bits: &mut Bits, negative: bool) -> f32 {
    loop {
        let x = -(0.273_661_24_f32) * log1p(-bits.next_f32());
        let y = -log1p(-bits.next_f32());
        if y + y > x * x {
            return if negative { -(TAIL as f32 + x) } else { TAIL as f32 + x };
        }
    }
}

/// log(1 + x) of binary32, rounded once.
fn log1p(x: f32) -> f32 {
    Real::log1p(f64::from(x)) as f32
}
