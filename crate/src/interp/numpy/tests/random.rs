//! Random streams against numbers that NumPy 2.4 printed.

use super::{Silent, bits_of, integers_of};
use crate::interp::numpy::array::{Array, Item};
use crate::interp::numpy::buffer::Buf;
use crate::interp::numpy::create;
use crate::interp::numpy::random::{Random, Size};
use crate::numerics::dtype::Dtype;

/// A shape of one dimension.
fn many(count: usize) -> Size {
    Size {
        shape: Some(vec![count]),
    }
}

/// Seed, then what the draws of the test give, in order.
type Stream = (u32, &'static [&'static [u64]], &'static [&'static [i64]]);

const LEGACY: &[Stream] = &[
    (
        0,
        &[
            &[
                0x3ffc398ef3e5cfa5,
                0x3fd99c2cfacc8953,
                0x3fef51d25222c9ab,
                0x4001ed5969e3314e,
                0x3ffde1847cb13dda,
            ],
            &[0x3fdc016dca6159d2, 0x3fec8967883a12f7, 0x3feed65349173336],
        ],
        &[
            &[58, 65, 39, 87, 46, 88],
            &[136, 160, 238, 20, 4],
            &[332161587272, 41438582676, 495502824400],
            &[4, 1, 6, 7, 2, 0, 5, 3],
            &[15, 13, 12, 5, 11],
            &[2, 1, 1, 2, 3, 2],
            &[31, 186, 241, 156, 120],
        ],
    ),
    (
        42,
        &[
            &[
                0x3fdfca2a28a9307c,
                0xbfc1b2a505de052a,
                0x3fe4b9dd50245e68,
                0x3ff85e548e01aa2b,
                0xbfcdf8bcdf57a640,
            ],
            &[0x3fadbd229d645570, 0x3febb7b70955b7b5, 0x3fe33c558c924bad],
        ],
        &[
            &[23, 2, 21, 52, 1, 87],
            &[277, 63, 288, 86, 46],
            &[824600269755, 88551408800, 874505391417],
            &[1, 7, 2, 6, 0, 3, 4, 5],
            &[5, 18, 1, 7, 0],
            &[3, 2, 2, 0, 1, 1],
            &[187, 91, 234, 174, 198],
        ],
    ),
    (
        12345,
        &[
            &[
                0xbfca33dc4f5d203d,
                0x3fdea701f566080f,
                0xbfe09f3df0ae3d0e,
                0xbfe1c88aeb5231f1,
                0x3fff73d654602e58,
            ],
            &[0x3feedd4d8dd90335, 0x3fe4e6d3a7b1e86a, 0x3fe7f70b0d7ee531],
        ],
        &[
            &[80, 73, 11, 77, 10, 81],
            &[205, 15, 161, 114, 258],
            &[187376943335, 102683755549, 792663690679],
            &[6, 2, 0, 4, 3, 1, 5, 7],
            &[16, 4, 12, 6, 9],
            &[3, 3, 3, 3, 3, 3],
            &[76, 140, 222, 207, 22],
        ],
    ),
];

#[test]
fn legacy_functions_give_numpys_numbers() {
    let host = Silent::new();
    for (seed, floats, integers) in LEGACY {
        let random = Random::legacy(*seed);
        let p = Array::ready(&[4], Dtype::F64, Buf::F64(vec![0.1, 0.2, 0.3, 0.4]));
        let drawn = [
            random.standard_normal(&many(5), Dtype::F64).unwrap(),
            random.random(&many(3), Dtype::F64).unwrap(),
            random.integers(0, 100, &many(6), Dtype::I64).unwrap(),
            random.integers(-5, 300, &many(5), Dtype::I16).unwrap(),
            random.integers(0, 1 << 40, &many(3), Dtype::I64).unwrap(),
            random.permutation_of(8).unwrap(),
            random.choice_positions(20, &many(5), false, None, true).unwrap(),
            random.choice_positions(4, &many(6), true, Some(&p), true).unwrap(),
            random.integers(0, 256, &many(5), Dtype::U8).unwrap(),
        ];
        // Forcing the last first must not change the order of draws.
        assert_eq!(integers_of(&drawn[8], &host), integers[6]);
        for (array, expected) in drawn[..2].iter().zip(*floats) {
            assert_eq!(&bits_of(array, &host), expected, "seed {seed}");
        }
        for (array, expected) in drawn[2..].iter().zip(*integers) {
            assert_eq!(&integers_of(array, &host), expected, "seed {seed}");
        }
    }
}

const GENERATOR: &[Stream] = &[
    (
        0,
        &[
            &[
                0x3fc017ed89db8441,
                0xbfc0e8cfe9bd45cc,
                0x3fe47e57a468b06d,
                0x3fbadabbec84d4f0,
                0xbfe1243418e643ed,
            ],
            &[0x3fed354b2f34c803, 0x3fe3698f6e301db6, 0x3fe758092bff1053],
            &[0xbfd5f2ac, 0xbf874bd3, 0xbfa93f30, 0x3f460b09, 0xbfdcd2de],
            &[0x3e0a56bc, 0x3f143304, 0x3f38b375],
        ],
        &[
            &[63, 54, 55, 93, 27, 81],
            &[167, 199, 138, -5, 288],
            &[36927730573, 802264647619, 193135397336],
            &[5, 4, 3, 0, 1, 2, 6, 7],
            &[2, 18, 16, 0, 6],
            &[3, 2, 3, 3, 3, 3],
            &[59, 106, 113, 216, 241],
            &[6, 7, 8, 9, 4, 5, 2, 3, 10, 11, 0, 1],
            &[18679, 10626, 7155],
        ],
    ),
    (
        42,
        &[
            &[
                0x3fd3807c1104fc6b,
                0xbff0a3c65fca9a7e,
                0x3fe803b239e77350,
                0x3fee191b2d157f36,
                0xbfff3770ac89d08f,
            ],
            &[0x3fef384c5db0d8ea, 0x3fe85b41a5f78b48, 0x3fe927705476f592],
            &[0x4003fa15, 0xbf9b8a3e, 0xbe4e2cb4, 0xbffe621d, 0xbeb1a22d],
            &[0x3ea6d294, 0x3f67d131, 0x3ebdace4],
        ],
        &[
            &[51, 12, 83, 45, 50, 37],
            &[169, 50, 138, 277, 240],
            &[904635960679, 487539067531, 249851616883],
            &[7, 4, 0, 6, 5, 3, 2, 1],
            &[7, 13, 2, 18, 10],
            &[3, 1, 2, 0, 1, 3],
            &[31, 58, 139, 19, 69],
            &[6, 7, 2, 3, 10, 11, 8, 9, 4, 5, 0, 1],
            &[9513, 4538, 6603],
        ],
    ),
    (
        12345,
        &[
            &[
                0xbff6c7fcc2ecc744,
                0x3ff4383b54eb0649,
                0xbfebdc76014d359e,
                0xbfd0964b5602ac3c,
                0xbfb349b2ef952a32,
            ],
            &[0x3fd54cd2c9f5b922, 0x3fe32558663228fc, 0x3fc7e6e7e21b4844],
            &[0x3e428a12, 0x3f3fae1e, 0xbfb1beaa, 0x3f2a7ee8, 0xbf71b5ac],
            &[0x3ea9d2da, 0x3f6e96ca, 0x3f23fdef],
        ],
        &[
            &[22, 67, 61, 94, 70, 24],
            &[212, 274, 261, 284, 228],
            &[105440895265, 485807850564, 974694979090],
            &[0, 1, 5, 2, 3, 4, 6, 7],
            &[1, 7, 3, 17, 12],
            &[1, 3, 1, 1, 0, 2],
            &[114, 69, 139, 185, 137],
            &[10, 11, 6, 7, 4, 5, 2, 3, 0, 1, 8, 9],
            &[11058, 9899, 18751],
        ],
    ),
];

#[test]
fn generators_give_numpys_numbers() {
    let host = Silent::new();
    for (seed, floats, integers) in GENERATOR {
        let random = Random::generator(&[*seed]);
        let p = Array::ready(&[4], Dtype::F64, Buf::F64(vec![0.1, 0.2, 0.3, 0.4]));
        let matrix = create::arange(Item::Int(0), Item::Int(12), Item::Int(1), None)
            .unwrap()
            .reshape(&[6, 2])
            .unwrap();
        let normal = random.standard_normal(&many(5), Dtype::F64).unwrap();
        let uniform = random.random(&many(3), Dtype::F64).unwrap();
        let mut drawn = vec![
            random.integers(0, 100, &many(6), Dtype::I64).unwrap(),
            random.integers(-5, 300, &many(5), Dtype::I16).unwrap(),
            random.integers(0, 1 << 40, &many(3), Dtype::I64).unwrap(),
            random.permutation_of(8).unwrap(),
            random.choice_positions(20, &many(5), false, None, true).unwrap(),
            random.choice_positions(4, &many(6), true, Some(&p), true).unwrap(),
        ];
        let singles = [
            random.standard_normal(&many(5), Dtype::F32).unwrap(),
            random.random(&many(3), Dtype::F32).unwrap(),
        ];
        drawn.push(random.integers(0, 256, &many(5), Dtype::U8).unwrap());
        drawn.push(random.permutation(&matrix).unwrap());
        drawn.push(random.choice_positions(20_000, &many(3), false, None, true).unwrap());
        for (array, expected) in [&normal, &uniform, &singles[0], &singles[1]].into_iter().zip(*floats) {
            assert_eq!(&bits_of(array, &host), expected, "seed {seed}");
        }
        for (array, expected) in drawn.iter().zip(*integers) {
            assert_eq!(&integers_of(array, &host), expected, "seed {seed}");
        }
    }
}

/// Folds the bits of an array with exclusive or, eight bytes at a time.
fn folded(array: &Array, host: &Silent) -> u64 {
    let bytes = array.to_bytes(host).unwrap();
    bytes
        .as_chunks::<8>()
        .0
        .iter()
        .fold(0, |seen, chunk| seen ^ u64::from_le_bytes(*chunk))
}

#[test]
fn long_streams_agree_to_the_bit() {
    let host = Silent::new();
    let cases = [
        (7, 0x01bf_8b35_627e_cb61, 0xfbc7_04e7_745a_0da5, 0x80b0_7e47_0f80_7532),
        (99, 0x012c_a492_a505_6f2d, 0x76e1_f9e5_718c_6434, 0x73e4_f33f_7cda_0456),
    ];
    for (seed, wide, single, legacy) in cases {
        let fresh = || Random::generator(&[seed]);
        assert_eq!(
            folded(&fresh().standard_normal(&many(200_000), Dtype::F64).unwrap(), &host),
            wide
        );
        assert_eq!(
            folded(&fresh().standard_normal(&many(200_000), Dtype::F32).unwrap(), &host),
            single
        );
        // The last bit of a legacy binary64 depends on the C library under NumPy; binary32 does not see it.
        let normal = Random::legacy(seed)
            .standard_normal(&many(100_000), Dtype::F64)
            .unwrap();
        assert_eq!(folded(&normal.astype(Dtype::F32).unwrap(), &host), legacy);
    }
}

#[test]
fn seeds_may_be_long() {
    let host = Silent::new();
    let two = |random: &Random| bits_of(&random.random(&many(2), Dtype::F64).unwrap(), &host);
    assert_eq!(
        two(&Random::legacy_from_key(&[1, 2, 3])),
        [0x3fe383fbc97230c2, 0x3fec5fd27a5da181]
    );
    assert_eq!(
        two(&Random::generator(&[5, 0, 64])),
        [0x3fc8e4b945b84528, 0x3fd157248b9c7314]
    );
    assert_eq!(
        two(&Random::generator(&[1, 2, 3, 4, 5, 6])),
        [0x3fe3e5d36f6dc4ca, 0x3fbe9114dcb6eb48]
    );
}
