//! The twenty control-flow patterns of W. van der Aalst et al., "Workflow Patterns" (2003), as workflows: one file for
//! each pattern, with its name.

#![allow(missing_docs, unreachable_pub, clippy::unwrap_used)]

mod desk;

mod arbitrary_cycles;
mod cancel_activity;
mod cancel_case;
mod deferred_choice;
mod discriminator;
mod exclusive_choice;
mod implicit_termination;
mod interleaved_parallel_routing;
mod milestone;
mod multi_choice;
mod multi_merge;
mod multiple_instances_at_design_time;
mod multiple_instances_at_run_time;
mod multiple_instances_without_a_priori_knowledge;
mod multiple_instances_without_synchronization;
mod parallel_split;
mod sequence;
mod simple_merge;
mod synchronization;
mod synchronizing_merge;
