//! Suspension points with several branches: `select!` and `join!`.

use super::Builder;
use crate::ir::usage::Usage;
use crate::ir::{
    AsyncBlock, BlockKind, Body, Branch, Choice, PointId, Region, RegionId, SelectArm, Terminator,
};

impl Builder {
    pub(super) fn select(
        &mut self,
        point: PointId,
        arms: Vec<SelectArm>,
        otherwise: Option<Body>,
        is_biased: bool,
    ) {
        let branches = arms.iter().map(|arm| (arm.cond.as_ref(), &arm.future));
        let usage = Usage::of_branches(&self.locals, branches);
        let resume = self.new_block(BlockKind::Resume(point));
        let merge = self.new_block(BlockKind::Plain);
        let (mut conds, mut futures, mut handlers) = (Vec::new(), Vec::new(), Vec::new());
        for SelectArm { pat, refusal, cond, future, body } in arms {
            conds.push((refusal, cond));
            futures.push(future);
            handlers.push((pat, body));
        }
        let has_else = otherwise.is_some();
        handlers.extend(otherwise.map(|body| (syn::parse_quote!(_), body)));
        let futures = self.branches(point, futures);
        let arms = conds.into_iter().zip(futures);
        let arms = arms.map(|((refusal, cond), future)| Choice { refusal, cond, future }).collect();
        self.end(Terminator::Select { point, arms, has_else, is_biased, resume }, usage);
        self.begin(resume);
        let arms = handlers.into_iter().map(|(pat, body)| {
            let block = self.branch(&[&pat], body, merge);
            (pat, block)
        });
        let arms = arms.collect();
        self.current = resume;
        self.end(Terminator::Chosen { point, arms, merge }, Usage::default());
        self.begin(merge);
    }

    /// The branches of a point. The blocks of its regions precede the code after the point.
    pub(super) fn branches(
        &mut self,
        point: PointId,
        branches: Vec<Branch<AsyncBlock>>,
    ) -> Vec<Branch<RegionId>> {
        let origin = self.current;
        let branches = branches.into_iter().enumerate().map(|(index, branch)| match branch {
            Branch::Operation(operation) => Branch::Operation(operation),
            Branch::Region(block) => Branch::Region(self.region(point, index, block)),
        });
        let branches = branches.collect();
        self.current = origin;
        branches
    }

    fn region(&mut self, point: PointId, index: usize, block: AsyncBlock) -> RegionId {
        let AsyncBlock { body, is_move, is_shielded, span } = block;
        let id = RegionId(self.regions.len());
        let parent = self.region.replace(id);
        let entry = self.new_block(BlockKind::Region(id));
        self.scoped(|this| {
            let scope = this.scope;
            let region = Region { point, index, parent, entry, scope, is_move, is_shielded, span };
            this.regions.push(region);
            this.begin(entry);
            this.body(body);
        });
        self.region = parent;
        id
    }
}
