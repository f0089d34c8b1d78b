//! The common fields of all events of a run or an attempt, which stay readable without spans.

use crate::model::RunId;

/// The names of a run in log events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunName<'a> {
    pub(crate) run_id: RunId,
    pub(crate) workflow_id: &'a str,
    pub(crate) workflow: &'a str,
}

/// `run_event!(warn, name, fields and message)`: an event of the run named by a [`RunName`].
/// `again(error)` instead of the level: as [`tried_again!`](crate::engine::outage::tried_again).
macro_rules! run_event {
    (again($error:expr), $name:expr, $($rest:tt)*) => {{
        let name: $crate::engine::events::RunName<'_> = $name;
        $crate::engine::outage::tried_again!(
            $error,
            run_id = %name.run_id,
            workflow_id = name.workflow_id,
            workflow = name.workflow,
            $($rest)*
        )
    }};
    ($level:ident, $name:expr, $($rest:tt)*) => {{
        let name: $crate::engine::events::RunName<'_> = $name;
        tracing::$level!(
            run_id = %name.run_id,
            workflow_id = name.workflow_id,
            workflow = name.workflow,
            $($rest)*
        )
    }};
}

/// `attempt_event!(warn, info, fields and message)`: an event of the attempt described by an
/// [`ActivityInfo`](crate::activities::ActivityInfo).
/// `again(error)` instead of the level: as [`tried_again!`](crate::engine::outage::tried_again).
macro_rules! attempt_event {
    (again($error:expr), $info:expr, $($rest:tt)*) => {
        $crate::engine::events::attempt_event!(
            @($crate::engine::outage::tried_again)($error,) $info, $($rest)*
        )
    };
    ($level:ident, $info:expr, $($rest:tt)*) => {
        $crate::engine::events::attempt_event!(@(tracing::$level)() $info, $($rest)*)
    };
    (@($($event:tt)*)($($first:tt)*) $info:expr, $($rest:tt)*) => {{
        let info: &$crate::activities::ActivityInfo = $info;
        $($event)*!(
            $($first)*
            run_id = %info.run_id,
            workflow_id = &*info.workflow_id,
            activity = info.name,
            handle = info.handle.0,
            attempt = info.attempt,
            $($rest)*
        )
    }};
}

pub(crate) use {attempt_event, run_event};
