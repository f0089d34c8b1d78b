//! The output of each pass as text: for snapshot tests, and for `PITON_DUMP=name`, which prints the
//! dumps of one workflow while it is compiled.
//!
//! The format is not stable: it may change with every change of a pass.

use std::fmt::Write as _;

use quote::ToTokens;
use syn::Pat;

use crate::flow::liveness::Liveness;
use crate::ir::usage::Place;
use crate::ir::{
    AsyncBlock, Block, BlockId, Body, Branch, Graph, LocalId, LocalKind, Locals, Node, Point,
    PointId, RegionId, Stmt, Terminator, Tree,
};
use crate::layout::{Layout, VariableId};

/// After `resolve`: one line per local.
pub(crate) fn locals(locals: &Locals) -> String {
    let mut out = String::new();
    for id in locals.ids() {
        let local = &locals[id];
        let mutable = if local.mutable { "mut " } else { "" };
        let ty = local.ty.as_ref().map(|ty| format!(": {}", code(ty))).unwrap_or_default();
        let kind = match local.saving.kind {
            LocalKind::Value => "",
            LocalKind::Items => " (items)",
            LocalKind::Text => " (text)",
            LocalKind::Lent => " (lent text)",
            LocalKind::Cow => " (cow)",
            LocalKind::Texts => " (texts)",
            LocalKind::Range => " (range)",
        };
        let rematerialized = local
            .rematerialized_by()
            .map(|made| format!(" made again as {}", code(made)))
            .unwrap_or_default();
        line(
            &mut out,
            0,
            format!(
                "{mutable}{}{ty} stored as {:?}{kind}{rematerialized}",
                local.ident, local.identity.name
            ),
        );
    }
    out
}

/// After `anf`: the statements. Each suspension point is a statement of its own.
pub(crate) fn tree(tree: &Tree) -> String {
    let mut out = String::new();
    body(&mut out, 0, tree, &tree.body);
    out
}

fn body(out: &mut String, depth: usize, tree: &Tree, body: &Body) {
    for stmt in &body.stmts {
        statement(out, depth, tree, stmt);
    }
}

fn statement(out: &mut String, depth: usize, tree: &Tree, stmt: &Stmt) {
    let name = |id: LocalId| tree.locals[id].ident.to_string();
    let point = |id: PointId| point(&tree.points, id);
    let dest =
        |dest: &Option<LocalId>| dest.map(|id| format!("{} = ", name(id))).unwrap_or_default();
    match stmt {
        Stmt::Code(stmt) => line(out, depth, code(stmt)),
        Stmt::Declare(local) => line(out, depth, format!("declare {}", name(*local))),
        Stmt::Define { local, value } => {
            line(out, depth, format!("{} = {}", name(*local), code(value)));
        }
        Stmt::Await { point: at, future, pat, .. } => {
            let bound = bound(pat);
            line(out, depth, format!("await {} {}{bound}", point(*at), code(future)));
        }
        Stmt::Select { point: at, arms, otherwise, .. } => {
            line(out, depth, format!("select {}", point(*at)));
            for arm in arms {
                let cond = arm.cond.as_ref().map(|cond| format!(" if {}", code(cond)));
                let (pat, after) = (code(&arm.pat), format!("{} =>", cond.unwrap_or_default()));
                branch(out, depth + 1, tree, (&format!("{pat} = "), &after), &arm.future);
                self::body(out, depth + 2, tree, &arm.body);
            }
            if let Some(otherwise) = otherwise {
                line(out, depth + 1, "else =>".into());
                self::body(out, depth + 2, tree, otherwise);
            }
        }
        Stmt::Join { point: at, branches, pat, fail_fast } => {
            let kind = if *fail_fast { "try_join" } else { "join" };
            line(out, depth, format!("{kind} {} as {}", point(*at), code(pat)));
            branches.iter().for_each(|each| branch(out, depth + 1, tree, ("", ""), each));
        }
        Stmt::Scope(inner) => {
            line(out, depth, "scope".into());
            body(out, depth + 1, tree, inner);
        }
        Stmt::If { cond, then, otherwise } => {
            line(out, depth, format!("if {}", code(cond)));
            body(out, depth + 1, tree, then);
            line(out, depth, "else".into());
            body(out, depth + 1, tree, otherwise);
        }
        Stmt::Match { scrutinee, arms } => {
            line(out, depth, format!("match {}", code(scrutinee)));
            for arm in arms {
                line(out, depth + 1, format!("{} =>", code(&arm.pat)));
                body(out, depth + 2, tree, &arm.body);
            }
        }
        Stmt::LetElse { local, otherwise } => {
            line(out, depth, code(local));
            line(out, depth, "else".into());
            body(out, depth + 1, tree, otherwise);
        }
        Stmt::Loop { target, dest: to, body: inner } => {
            line(out, depth, format!("{}loop {}", dest(to), target.0));
            body(out, depth + 1, tree, inner);
        }
        Stmt::Labeled { target, dest: to, body: inner } => {
            line(out, depth, format!("{}block {}", dest(to), target.0));
            body(out, depth + 1, tree, inner);
        }
        Stmt::Break(target) => line(out, depth, format!("break {}", target.0)),
        Stmt::Continue(target) => line(out, depth, format!("continue {}", target.0)),
        Stmt::Return(value) => line(out, depth, format!("return {}", code(value))),
    }
}

fn branch(
    out: &mut String,
    depth: usize,
    tree: &Tree,
    (before, after): (&str, &str),
    branch: &Branch<AsyncBlock>,
) {
    match branch {
        Branch::Operation(operation) => {
            line(out, depth, format!("{before}{}{after}", code(operation)));
        }
        Branch::Region(block) => {
            let captures = if block.is_move { "async move" } else { "async" };
            line(out, depth, format!("{before}{captures}"));
            body(out, depth + 1, tree, &block.body);
            if !after.is_empty() {
                line(out, depth, after.trim_start().to_owned());
            }
        }
    }
}

/// After `cfg` and `liveness`: the blocks with the places that are live where they begin.
pub(crate) fn graph(graph: &Graph, liveness: &Liveness) -> String {
    let mut out = String::new();
    for id in graph.block_ids() {
        let block = &graph[id];
        let live: Vec<String> =
            liveness.live_in(id).iter().map(|live| place(&graph.locals, live)).collect();
        line(&mut out, 0, format!("b{} {:?} [{}]", id.0, block.kind, live.join(", ")));
        for node in &block.nodes {
            match node {
                Node::Code(stmt) => line(&mut out, 1, code(stmt)),
                Node::Declare(local) => {
                    line(&mut out, 1, format!("declare {}", graph.locals[*local].ident));
                }
                Node::Define { local, value } => {
                    line(&mut out, 1, format!("{} = {}", graph.locals[*local].ident, code(value)));
                }
                // The live places show the scopes.
                Node::Enter(_) | Node::Leave => {}
            }
        }
        terminator(&mut out, graph, block);
    }
    out
}

fn terminator(out: &mut String, graph: &Graph, block: &Block) {
    let to = |block: BlockId| format!("b{}", block.0);
    let point = |id: PointId| point(&graph.points, id);
    let future = |branch: &Branch<RegionId>| match branch {
        Branch::Operation(operation) => code(operation),
        Branch::Region(region) => format!("region {} at {}", region.0, to(graph[*region].entry)),
    };
    let arms = |out: &mut String, arms: &[(syn::Pat, BlockId)]| {
        for (pat, block) in arms {
            line(out, 2, format!("{} => {}", code(pat), to(*block)));
        }
    };
    match &block.end {
        Terminator::Goto(next) => line(out, 1, format!("goto {}", to(*next))),
        Terminator::If { cond, then, otherwise, .. } => {
            line(out, 1, format!("if {} then {} else {}", code(cond), to(*then), to(*otherwise)));
        }
        Terminator::Match { scrutinee, arms: list, .. } => {
            line(out, 1, format!("match {}", code(scrutinee)));
            arms(out, list);
        }
        Terminator::LetElse { local, otherwise, next } => {
            line(out, 1, format!("{} then {} else {}", code(local), to(*next), to(*otherwise)));
        }
        Terminator::Await { point: at, future, pat, resume, .. } => {
            let (future, bound) = (code(future), bound(pat));
            line(out, 1, format!("await {} {future}{bound}, resume {}", point(*at), to(*resume)));
        }
        Terminator::Select { point: at, arms, resume, .. } => {
            line(out, 1, format!("select {}, resume {}", point(*at), to(*resume)));
            arms.iter().for_each(|arm| line(out, 2, future(&arm.future)));
        }
        Terminator::Chosen { point: at, arms: list, .. } => {
            line(out, 1, format!("chosen of {}", point(*at)));
            arms(out, list);
        }
        Terminator::Join { point: at, branches, pat, resume, .. } => {
            line(out, 1, format!("join {} as {}, resume {}", point(*at), code(pat), to(*resume)));
            branches.iter().for_each(|branch| line(out, 2, future(branch)));
        }
        Terminator::Return(value) => line(out, 1, format!("return {}", code(value))),
        Terminator::Unreachable => line(out, 1, "unreachable".into()),
    }
}

/// After `layout`: the states with their saved places, the edges, the variables passed within a step, and the copied
/// parts.
pub(crate) fn layout(graph: &Graph, layout: &Layout) -> String {
    let mut out = String::new();
    let names = |ids: &[VariableId]| {
        ids.iter().map(|id| layout.variable(*id).stored.clone()).collect::<Vec<_>>().join(", ")
    };
    for (index, state) in layout.states.iter().enumerate() {
        let region = state.region.map(|region| format!(" of region {}", region.0));
        let text = format!(
            "state {index} {:?}{} [{}]",
            state.name,
            region.unwrap_or_default(),
            names(&state.fields)
        );
        line(&mut out, 0, text);
    }
    for (from, to) in &layout.edges {
        let to = to.map_or_else(|| "end".to_owned(), |to| to.to_string());
        line(&mut out, 0, format!("edge {from} -> {to}"));
    }
    for segment in &layout.segments {
        let kept: Vec<_> = segment.entry.iter().copied().filter(|id| segment.keeps(*id)).collect();
        let kept =
            if kept.is_empty() { String::new() } else { format!(" keeps [{}]", names(&kept)) };
        line(&mut out, 0, format!("arm b{} [{}]{kept}", segment.block.0, names(&segment.entry)));
    }
    for ((block, node), parts) in &layout.moved_parts_at {
        let parts: Vec<_> = parts.iter().map(|part| place(&graph.locals, part)).collect();
        line(&mut out, 0, format!("copy at b{}.{node} [{}]", block.0, parts.join(", ")));
    }
    out
}

fn point(points: &[Point], id: PointId) -> String {
    let point = &points[id.0];
    format!("{:?} ({:?})", point.name, point.kind)
}

fn place(locals: &Locals, place: &Place) -> String {
    let mut text = locals[place.local].ident.to_string();
    for field in &place.fields {
        let _ = write!(text, ".{}", &**field);
    }
    text
}

/// The pattern of an await.
fn bound(pat: &Pat) -> String {
    match pat {
        Pat::Verbatim(_) => String::new(),
        pat => format!(" as {}", code(pat)),
    }
}

fn code(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

fn line(out: &mut String, depth: usize, text: String) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{:indent$}{text}", "", indent = depth * 2);
}
