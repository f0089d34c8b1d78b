//! Simulated faults of a service: slow, lost and late answers, chosen deterministically.
//!
//! Whether an attempt fails follows from the request, the order, and the number of earlier attempts. So two runs of the
//! example over the same file have the same faults, and an attempt number high enough always succeeds.

use std::time::Duration;

use super::Call;

/// How the gateway treats one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// As it should.
    None,
    /// It fails before it has done anything and answers 500.
    Before,
    /// It executes the request, then fails and answers 500.
    After,
    /// It executes the request and answers late.
    Late(Duration),
}

/// How often what goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults {
    /// How long an answer takes if nothing goes wrong.
    pub answer_time: Duration,
    /// Of a hundred attempts, how many fail before they have an effect.
    pub before_percent: u8,
    /// Of a hundred attempts, how many fail after it.
    pub after_percent: u8,
    /// Of a hundred attempts, how many are answered late.
    pub late_percent: u8,
    /// How late.
    pub late_by: Duration,
    /// From this attempt on, nothing goes wrong. The first attempt is 1.
    pub calm_from_attempt: u32,
}

impl Faults {
    /// Nothing goes wrong, and answers come at once.
    pub const NONE: Self = Self {
        answer_time: Duration::ZERO,
        before_percent: 0,
        after_percent: 0,
        late_percent: 0,
        late_by: Duration::ZERO,
        calm_from_attempt: 1,
    };

    /// Answers take a moment. One attempt in ten goes wrong, a fifth of those by an answer that
    /// comes when the caller, who waits for two seconds, has given up.
    pub const EVERYDAY: Self = Self {
        answer_time: Duration::from_millis(80),
        before_percent: 4,
        after_percent: 4,
        late_percent: 2,
        late_by: Duration::from_secs(3),
        calm_from_attempt: 4,
    };

    /// How the gateway treats this attempt of this call.
    pub fn decide(&self, call: &Call, attempt: u32) -> Fault {
        if attempt >= self.calm_from_attempt {
            return Fault::None;
        }
        let drawn = draw(call, attempt);
        let before = self.before_percent;
        let after = before.saturating_add(self.after_percent);
        let late = after.saturating_add(self.late_percent);
        match drawn {
            drawn if drawn < before => Fault::Before,
            drawn if drawn < after => Fault::After,
            drawn if drawn < late => Fault::Late(self.late_by),
            _ => Fault::None,
        }
    }
}

/// A number from 0 to 99 that depends on nothing but the call and its attempt. The idempotency key
/// and the ids that the gateway gave out stay out of it: they differ from run to run.
fn draw(call: &Call, attempt: u32) -> u8 {
    let detail = match call {
        Call::Reserve { sku, .. } => sku.as_str(),
        _ => "",
    };
    let attempt = attempt.to_string();
    let text = [call.operation(), call.order_id(), detail, attempt.as_str()].join("/");
    // FNV-1a with 64 bits; the numbers are its published parameters. The standard library's hash
    // may change from release to release, and the trouble of a file should not.
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    // The low bits of FNV mix poorly over short texts, so the high half is folded in.
    u8::try_from((hash ^ (hash >> 32)) % 100).expect("a remainder of 100 fits")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ship(order_id: &str) -> Call {
        Call::Ship { order_id: order_id.into(), customer: "Ada Kim".into() }
    }

    #[test]
    fn trouble_is_about_as_frequent_as_stated() {
        let faults = Faults::EVERYDAY;
        let met = (0..10_000).filter(|n| faults.decide(&ship(&n.to_string()), 1) != Fault::None);
        let met = met.count();
        assert!((800..1_200).contains(&met), "{met} of 10,000 calls met trouble");
    }

    #[test]
    fn the_same_call_meets_the_same_trouble_and_none_in_the_end() {
        let faults = Faults { before_percent: 100, calm_from_attempt: 3, ..Faults::NONE };
        for attempt in [1, 2] {
            assert_eq!(faults.decide(&ship("A"), attempt), Fault::Before);
        }
        assert_eq!(faults.decide(&ship("A"), 3), Fault::None);
        assert_eq!(draw(&ship("A"), 1), draw(&ship("A"), 1));
    }
}
