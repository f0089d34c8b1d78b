//! The operations as activities.

// Programs import all of it.
#[allow(unused_imports)]
pub(crate) use piton::machine::{ActivityError, Context, join_all};
#[allow(unused_imports)]
pub(crate) use piton::{bail, ensure, join, select, try_join};

use crate::mock::{Fault, for_each_operation, values};

macro_rules! activities {
    ($($operation:ident($n:ident: i64) -> $output:ty;)*) => {
        $(
            #[piton::activity]
            pub(crate) async fn $operation($n: i64) -> $output {
                values::$operation($n)
            }
        )*
    };
}
for_each_operation!(activities);

#[piton::activity]
pub(crate) async fn checked(n: i64) -> Result<i64, Fault> {
    values::checked(n)
}
