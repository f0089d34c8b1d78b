//! What is lent of what is lent: maps in maps, with a `?` or an entry on the way.

use std::collections::BTreeMap;

type Grid = BTreeMap<String, BTreeMap<String, Vec<i64>>>;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Shelf {
    boxes: Vec<Vec<i64>>,
    labels: BTreeMap<String, String>,
}

#[workflow]
async fn of_option(grid: Grid, row: String, column: String) -> Option<i64> {
    let cell = grid.get(&row)?.get(&column)?;
    let asked = act(cell.len() as i64).await;
    let first = grid.get(row.as_str())?.values().next()?.first()?;
    let sum = add(asked, *first).await;
    Some(sum + first + cell.len() as i64)
}

#[workflow]
async fn changed(grid: Grid, row: String, column: String) -> Result<Grid, String> {
    let mut grid = grid;
    let cell = grid.get_mut(&row).ok_or("no row")?.get_mut(&column).ok_or_else(|| format!("no {column}"))?;
    cell.push(act(7).await);
    cell.push(add(cell.len() as i64, 1).await);
    let last = grid.get_mut(&row).unwrap().get_mut(&column).unwrap().last_mut().unwrap();
    *last += act(*last).await;
    Ok(grid)
}

#[workflow]
async fn shelves(n: i64, shelves: BTreeMap<i64, Shelf>) -> Option<BTreeMap<i64, Shelf>> {
    let mut shelves = shelves;
    let boxes = &mut shelves.get_mut(&(n % 2))?.boxes;
    boxes.push(list(n).await);
    boxes.push(vec![act(n).await]);
    let first = shelves.get_mut(&(n % 2))?.boxes.first_mut()?;
    first.push(act(first.len() as i64).await);
    let key = fetch("key").await;
    let label = shelves.get_mut(&(n % 2))?.labels.entry(key).or_default();
    label.push_str(&fetch("label").await);
    label.push('!');
    Some(shelves)
}

#[workflow]
async fn program(n: i64) -> (Grid, Vec<String>) {
    let mut grid = Grid::new();
    let mut log = Vec::new();
    for (at, name) in words("red green red").await.into_iter().enumerate() {
        let column = format!("c{}", at % 2);
        grid.entry(name.clone()).or_default().entry(column.clone()).or_default().push(act(n).await);
        *grid.entry(name.clone()).or_default().entry(column.clone()).or_default() = list(n).await;
        let cell = grid.entry(name).or_default().entry(column).or_insert_with(Vec::new);
        cell.push(act(at as i64).await);
        cell.push(cell.len() as i64);
    }
    log.push(format!("{:?}", of_option(grid.clone(), "red".into(), "c0".into()).await));
    log.push(format!("{:?}", of_option(grid.clone(), "red".into(), "c9".into()).await));
    log.push(format!("{:?}", changed(grid.clone(), "green".into(), "c1".into()).await));
    log.push(format!("{:?}", changed(grid.clone(), "blue".into(), "c1".into()).await));
    let mut all = BTreeMap::new();
    all.insert(0, Shelf { boxes: vec![vec![1]], ..Shelf::default() });
    all.insert(1, Shelf::default());
    log.push(format!("{:?}", shelves(n.abs(), all).await));
    if let Some(row) = grid.values_mut().next() {
        row.entry("new".to_owned()).or_default().extend(list(2).await);
    }
    (grid, log)
}
