//! Calls that are held across an await before they are awaited themselves: the arguments and what is not as by default.
//!
//! The activity is told by the type, so its name is not saved.

use std::marker::PhantomData;

use serde::{Deserialize, Deserializer, Serialize, Serializer, ser};

use super::{Activity, ActivityCall, ActivityOptions, Call};
use crate::model::Payload;

#[derive(Serialize)]
struct SavedCall<'a> {
    arguments: &'a Payload,
    options: Option<&'a ActivityOptions>,
}

#[derive(Deserialize)]
struct ReadCall {
    arguments: Payload,
    options: Option<ActivityOptions>,
}

impl<A> Serialize for ActivityCall<A> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Call { arguments, options, .. } = &self.call;
        let arguments = arguments.as_ref().map_err(ser::Error::custom)?;
        let options = options.as_deref().map(|options| options.reveal());
        SavedCall { arguments, options }.serialize(serializer)
    }
}

impl<'de, A: Activity> Deserialize<'de> for ActivityCall<A> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let ReadCall { arguments, options } = ReadCall::deserialize(deserializer)?;
        let call = Call { name: A::NAME, arguments: Ok(arguments), options: None };
        let call = match options {
            Some(options) => call.with(options),
            None => call,
        };
        Ok(Self { call, activity: PhantomData })
    }
}
