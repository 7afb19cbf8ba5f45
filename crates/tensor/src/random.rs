//! Random numbers from a seed.

use std::{
    f32::consts::TAU,
    sync::atomic::{AtomicU64, Ordering},
};

/// Random numbers from which weights are drawn.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The random numbers of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    /// A number from 0 up to, excluding, 1.
    pub const fn uniform(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(1);
        to_share(mix(self.0))
    }

    /// A number from a normal distribution around 0, of standard deviation 1 (Box & Muller 1958).
    pub fn normal(&mut self) -> f32 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (TAU * self.uniform()).cos()
    }
}

/// Deals out the masks of dropout: a seed gives the same ones in the same order.
#[derive(Debug)]
pub struct DropoutMasks {
    seed: u64,
    dealt: AtomicU64,
}

/// The dropout of an operation (Srivastava et al. 2014, “Dropout”). Without masks nothing is left out.
#[derive(Debug, Clone, Copy)]
pub struct Dropout<'a> {
    /// The share of the numbers that is left out.
    pub share: f32,
    /// The masks of a training run; `None` for inference.
    pub masks: Option<&'a DropoutMasks>,
}

/// The factors by which an operation multiplies numbers: 0 for those that it leaves out. The others are enlarged so
/// that the expected sum stays the same.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mask {
    seed: u64,
    share: f32,
}

impl DropoutMasks {
    /// The masks of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self {
            seed,
            dealt: AtomicU64::new(0),
        }
    }
}

impl Dropout<'_> {
    pub(crate) fn deal(&self) -> Option<Mask> {
        let masks = self.masks.filter(|_| self.share > 0.0)?;
        let number = masks.dealt.fetch_add(1, Ordering::Relaxed);
        Some(Mask {
            seed: mix(masks.seed ^ mix(number)),
            share: self.share,
        })
    }
}

impl Mask {
    /// The factor of the number at a place. The backward pass computes it again, so that no mask is stored.
    pub(crate) const fn factor(self, at: usize) -> f32 {
        if to_share(mix(self.seed.wrapping_add(at as u64))) < self.share {
            0.0
        } else {
            1.0 / (1.0 - self.share)
        }
    }
}

/// A well-mixed hash of a number (Steele et al. 2014, “Fast splittable pseudorandom number generators”).
const fn mix(number: u64) -> u64 {
    let mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The upper bits as a number from 0 up to, excluding, 1.
#[expect(clippy::cast_precision_loss, reason = "24 bits are exact")]
const fn to_share(bits: u64) -> f32 {
    (bits >> 40) as f32 / (1_u64 << 24) as f32
}
