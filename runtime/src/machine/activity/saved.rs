//! The saved form of calls that are held across an await before they are awaited: the arguments, and the options that
//! differ from the defaults.
//!
//! A call that stands alone is saved with the name of its activity, so that it is not read as a call of another one.

use std::marker::PhantomData;

use serde::{Deserialize, Deserializer, Serialize, Serializer, ser};

use super::{Activity, ActivityCall, ActivityOptions, Call};
use crate::machine::StepError;
use crate::machine::named::{NameOf, OfActivity};
use crate::model::Payload;

#[derive(Serialize)]
#[serde(bound = "A: Activity")]
struct SavedCall<'a, A> {
    activity: NameOf<OfActivity<A>>,
    arguments: &'a Payload,
    options: Option<&'a ActivityOptions>,
}

/// [`SavedCall`], read.
#[derive(Deserialize)]
#[serde(rename = "SavedCall", bound = "A: Activity")]
struct ReadCall<A> {
    #[serde(rename = "activity")]
    _activity: NameOf<OfActivity<A>>,
    arguments: Payload,
    options: Option<ActivityOptions>,
}

/// The saved form of a call of an activity that is known otherwise.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredCall {
    pub(crate) arguments: Payload,
    options: Option<ActivityOptions>,
}

impl StoredCall {
    /// The saved form of a call.
    ///
    /// # Errors
    /// [`StepError::Encode`] if its arguments could not be encoded.
    pub(crate) fn of<A>(call: ActivityCall<A>) -> Result<Self, StepError> {
        let Call { arguments, options, .. } = call.call;
        let options = options.map(|mut options| std::mem::take((*options).reveal_mut()));
        Ok(Self { arguments: arguments.map_err(StepError::Encode)?, options })
    }

    /// Whether the workers of a queue execute it.
    pub(crate) fn is_on_queue(&self) -> bool {
        self.options.as_ref().is_some_and(|options| options.queue.is_some())
    }

    /// Restores the call, of this activity.
    pub(crate) fn call<A: Activity>(self) -> ActivityCall<A> {
        let Self { arguments, options } = self;
        let call = Call { name: A::NAME, arguments: Ok(arguments), options: None };
        let call = match options {
            Some(options) => call.with(options),
            None => call,
        };
        ActivityCall { call, activity: PhantomData }
    }
}

impl<A: Activity> Serialize for ActivityCall<A> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Call { arguments, options, .. } = &self.call;
        let arguments = arguments.as_ref().map_err(ser::Error::custom)?;
        let options = options.as_deref().map(|options| options.reveal());
        let activity = NameOf::<OfActivity<A>>::new();
        SavedCall { activity, arguments, options }.serialize(serializer)
    }
}

impl<'de, A: Activity> Deserialize<'de> for ActivityCall<A> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let ReadCall { arguments, options, .. } = ReadCall::<A>::deserialize(deserializer)?;
        Ok(StoredCall { arguments, options }.call())
    }
}
