//! Types that refuse values which their schemas allow.

use crate::retypes;

retypes! {
    "the tag of an internally tagged enum is renamed"
    tag_renamed {
        old {
            #[derive(Debug, Serialize, Deserialize)]
            #[serde(tag = "kind")]
            pub enum Payment {
                Card { last: u16 },
                Free,
            }
        } Payment = Payment::Card { last: 7 };
        new {
            #[derive(Debug, Serialize, Deserialize)]
            #[serde(tag = "type")]
            pub enum Payment {
                Card { last: u16 },
                Free,
            }
        } Payment = Payment::Free;
        Refused("missing field `type`", "Card { last: 7 }")
    }

    "the variant of an internally tagged enum that is used is removed"
    tagged_variant_removed {
        old {
            #[derive(Debug, Serialize, Deserialize)]
            #[serde(tag = "kind")]
            pub enum Payment {
                Card { last: u16 },
                Free,
            }
        } Payment = Payment::Card { last: 7 };
        new {
            #[derive(Debug, Serialize, Deserialize)]
            #[serde(tag = "kind")]
            pub enum Payment {
                Invoice { number: u16 },
                Free,
            }
        } Payment = Payment::Free;
        Refused("unknown variant `Card`", "Card { last: 7 }")
    }

    "a `try_from` refuses more than it did"
    stricter {
        old {
            #[derive(Clone, Debug, Serialize, Deserialize)]
            #[serde(try_from = "u16", into = "u16")]
            pub struct Percent(u16);

            impl TryFrom<u16> for Percent {
                type Error = String;

                fn try_from(number: u16) -> Result<Self, String> {
                    if number <= 200 { Ok(Self(number)) } else { Err("it is above 200".into()) }
                }
            }

            impl From<Percent> for u16 {
                fn from(percent: Percent) -> Self {
                    percent.0
                }
            }
        } Percent = Percent(150);
        new {
            #[derive(Clone, Debug, Serialize, Deserialize)]
            #[serde(try_from = "u16", into = "u16")]
            pub struct Percent(u16);

            impl TryFrom<u16> for Percent {
                type Error = String;

                fn try_from(number: u16) -> Result<Self, String> {
                    if number <= 100 { Ok(Self(number)) } else { Err("it is above 100".into()) }
                }
            }

            impl From<Percent> for u16 {
                fn from(percent: Percent) -> Self {
                    percent.0
                }
            }
        } Percent = Percent(50);
        Refused("it is above 100", "Percent(150)")
    }

    "a time without a zone becomes one with a zone, and both are texts"
    time_without_zone {
        old {} chrono::NaiveDateTime = chrono::DateTime::from_timestamp(7, 0).unwrap().naive_utc();
        new {} chrono::DateTime<chrono::Utc> = chrono::DateTime::UNIX_EPOCH;
        Refused("premature end of input", "1970-01-01T00:00:07")
    }
}
