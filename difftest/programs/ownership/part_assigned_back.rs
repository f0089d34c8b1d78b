//! A part is moved out and assigned back in one statement: fields, nested fields, elements of tuples, scrutinees, in
//! loops, with `?` and `return`, and beside uses of the other parts. Other parts are dropped once.

#[derive(Debug, Clone, Serialize, Deserialize)]
enum Status {
    New,
    Paid(String),
    Shipped { by: String, parcels: Vec<i64> },
    Closed,
}

#[derive(Debug, Serialize, Deserialize)]
struct Address {
    street: String,
    notes: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Order {
    id: String,
    total: i64,
    lines: Vec<i64>,
    to: Address,
    pair: (String, Vec<i64>),
    status: Status,
    seal: Noisy,
}

impl Order {
    fn text(&self) -> String {
        format!("{self:?}")
    }
}

fn order() -> Order {
    Order {
        id: "o1".to_owned(),
        total: 3,
        lines: vec![1, 2],
        to: Address { street: "s".to_owned(), notes: vec![] },
        pair: ("p".to_owned(), vec![7]),
        status: Status::New,
        seal: Noisy::new("seal"),
    }
}

#[workflow]
async fn ship(mut lines: Vec<i64>, by: i64) -> Vec<i64> {
    lines.push(act(by).await);
    lines
}

#[workflow]
async fn try_ship(lines: Vec<i64>, by: i64) -> Result<Vec<i64>, String> {
    if by > 2 {
        return Err(format!("no {by}"));
    }
    Ok(ship(lines, by).await)
}

#[workflow]
async fn advance(status: Status) -> Status {
    match status {
        Status::New => Status::Paid(fetch("paid").await),
        Status::Paid(by) => Status::Shipped { by, parcels: vec![act(1).await] },
        other => other,
    }
}

#[workflow]
async fn field(mut order: Order) -> Order {
    order.total = act(order.total).await;
    order.lines = ship(order.lines, order.total).await;
    note(order.text());
    order.to.notes = words("a b").await;
    order.to.street = concat(&order.to.street, "x").await;
    order.pair.1 = ship(order.pair.1, order.lines.len() as i64).await;
    (order.lines, order.total) = join!(ship(order.lines, 2), act(order.total));
    order.lines = select! {
        lines = ship(order.lines, 4) => lines,
        _ = tick() => vec![],
    };
    note(order.text());
    order
}

#[workflow]
async fn by_match(mut order: Order) -> Order {
    for _ in 0..4 {
        order.status = match order.status {
            Status::New => Status::Paid(fetch(&order.id).await),
            Status::Paid(by) => Status::Shipped { by: concat(&by, "!").await, parcels: order.lines.clone() },
            Status::Shipped { parcels, .. } if parcels.len() > 5 => Status::New,
            Status::Shipped { parcels, by } => {
                let parcels = ship(parcels, 1).await;
                note(by.len());
                if parcels.len() > 2 { Status::Closed } else { Status::Shipped { by, parcels } }
            }
            other => other,
        };
        note(order.text());
        order.status = advance(order.status).await;
    }
    note(order.text());
    order
}

/// Nothing is moved where a pattern binds nothing, or by reference.
#[workflow]
async fn in_place(mut order: Order) -> Order {
    for _ in 0..3 {
        match order.status {
            Status::New => order.status = Status::Paid(fetch("x").await),
            Status::Paid(ref mut by) => {
                by.push('!');
                note(&*by);
                tick().await;
                order.status = Status::Shipped { by: fetch("y").await, parcels: vec![] };
            }
            _ => order.status = advance(Status::New).await,
        }
        if let Status::Paid(ref by) = order.status {
            note(by);
            order.status = advance(Status::Closed).await;
        }
        note(order.text());
    }
    order
}

#[workflow]
async fn failing(mut order: Order) -> Result<Order, String> {
    for by in 1..4 {
        order.lines = try_ship(order.lines, by).await?;
        note(order.text());
    }
    Ok(order)
}

#[workflow]
async fn returning(mut order: Order) -> Option<Order> {
    for by in 1..4 {
        order.lines = {
            let lines = ship(order.lines, by).await;
            if lines.len() > 4 {
                return None;
            }
            note(order.total);
            lines
        };
        note(order.text());
    }
    Some(order)
}

#[workflow]
async fn jumping(n: i64) -> (Order, Option<Vec<i64>>) {
    let mut order = order();
    let mut best = (Some(vec![n]), 0);
    'all: loop {
        for by in 0..3 {
            best.0 = if let Some(lines) = best.0 {
                Some(ship(lines, by).await)
            } else {
                tick().await;
                None
            };
            order.lines = match order.total {
                6 => break 'all,
                4 => {
                    order.total += 1;
                    tick().await;
                    continue;
                }
                _ => ship(order.lines, by).await,
            };
            order.total += 1;
            note(order.text());
        }
    }
    while order.lines.len() < 9 {
        order.lines = ship(order.lines, 1).await;
    }
    note(order.text());
    (order, best.0)
}

/// The way of a consuming builder.
impl Order {
    fn with(mut self, line: i64) -> Self {
        self.lines.push(line);
        self
    }
}

#[workflow]
async fn by_methods(order: Order) -> (Order, i64) {
    let mut kept = (order, 1);
    kept.0 = kept.0.with(act(1).await);
    kept.0.lines = ship(kept.0.lines.into_iter().rev().collect(), kept.1).await;
    kept.0.to.street = kept.0.to.street + &fetch("y").await;
    note(kept.0.text());
    kept
}

#[workflow]
async fn in_steps(mut order: Order) -> Order {
    let lines = order.lines;
    let street = order.to.street;
    let longer = ship(lines, 5).await;
    order.to.street = concat(&street, "y").await;
    order.lines = longer;
    note(order.text());
    order
}

#[workflow]
async fn program(n: i64) -> i64 {
    let made = (
        field(order()).await,
        by_match(order()).await,
        in_place(order()).await,
        failing(order()).await,
        returning(order()).await,
        jumping(n).await,
        by_methods(order()).await,
        in_steps(order()).await,
    );
    note(format!("{made:?}"));
    n
}
