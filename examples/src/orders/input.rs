//! Reads orders from CSV, and reports the problem of every invalid line.
//!
//! A line of the file is one item; the items of an order follow each other and are numbered from 1.
//! Invariants:
//! - Lines are independent: whatever is wrong with one, the next is read as if it were alone. For
//!   that reason a quoted field cannot span lines.
//! - An order is accepted completely or not at all. If one of its lines is broken, nobody knows what the customer
//!   wanted, so nothing of it is charged or shipped.
//! - An order id that comes back later in the file is broken there and does not touch the first.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

use super::catalog::Catalog;
use super::order::{Item, Order};

/// The columns of the file, in order; its first line has to be these names.
pub const COLUMNS: [&str; 7] =
    ["order_id", "line", "customer", "card", "sku", "quantity", "unit_cents"];

/// The longest order, the largest quantity of one item and the highest price of one piece. Their
/// product is below 2^63, so totals cannot overflow.
const MAX_LINES: u64 = 1_000;
const MAX_QUANTITY: u64 = 10_000;
const MAX_UNIT_CENTS: u64 = 100_000_000;

/// What a file gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// The orders that can be carried out, in the order of the file.
    pub orders: Vec<Order>,
    /// The lines that cannot be used, in the order of the file.
    pub broken: Vec<BrokenLine>,
    /// The orders that are left out because of one of their lines, in the order of the file.
    pub left_out: Vec<String>,
}

/// A line that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenLine {
    /// Its number in the file, from 1; the line with the column names is the first.
    pub number: usize,
    /// What is wrong with it.
    pub reason: Reason,
}

impl fmt::Display for BrokenLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.number, self.reason)
    }
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// It is not text.
    #[error("is not UTF-8 text")]
    NotText,
    /// A field is empty or the line ends before it.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// There are more fields than columns.
    #[error("has {found} fields where {} are expected; quote a field that contains a comma", COLUMNS.len())]
    TooManyFields {
        /// How many there are.
        found: usize,
    },
    /// A number is not one, or is out of range.
    #[error("`{column}` is `{text}`, not a whole number from 1 to {max}")]
    BadNumber {
        /// The column.
        column: &'static str,
        /// What stands there.
        text: String,
        /// The largest number allowed.
        max: u64,
    },
    /// The sku is not in the catalog.
    #[error("`{0}` is not in the catalog")]
    UnknownSku(String),
    /// The order id was used before, by an order that other lines have followed.
    #[error("order `{order_id}` is already on line {first_line}")]
    DuplicateId {
        /// The order.
        order_id: String,
        /// Where it was first used.
        first_line: usize,
    },
    /// The lines of the order are not numbered 1, 2, 3….
    #[error("`line` is {found} where {expected} would be next in order `{order_id}`")]
    OutOfSequence {
        /// The order.
        order_id: String,
        /// The number given.
        found: u64,
        /// The number expected.
        expected: u64,
    },
    /// The lines of the order differ in what belongs to the order as a whole.
    #[error("`{column}` differs from the other lines of order `{order_id}`")]
    Contradiction {
        /// The order.
        order_id: String,
        /// The column.
        column: &'static str,
    },
}

/// Why no order could be read from a file.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// It cannot be read.
    #[error("cannot read the orders in `{}`", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// It does not begin with the column names.
    #[error("`{}` is not a list of orders: its first line has to be `{}`", path.display(), COLUMNS.join(","))]
    WrongColumns {
        /// The file.
        path: PathBuf,
    },
}

/// Reads the orders in a file.
///
/// # Errors
/// [`InputError`] if the file cannot be read or is something else altogether. A line that cannot be
/// used is not an error but a [`BrokenLine`].
pub fn read(path: &Path, catalog: &Catalog) -> Result<Input, InputError> {
    let bytes = std::fs::read(path)
        .map_err(|source| InputError::Unreadable { path: path.to_owned(), source })?;
    parse(&bytes, catalog).ok_or_else(|| InputError::WrongColumns { path: path.to_owned() })
}

/// Reads the orders in a file's content, or gives `None` if the first line is not as it has to be.
fn parse(content: &[u8], catalog: &Catalog) -> Option<Input> {
    let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
    let mut lines = (1..).zip(content.split(|byte| *byte == b'\n'));
    let (_, header) = lines.next()?;
    if fields(header).ok()? != COLUMNS {
        return None;
    }
    let mut reader = Reader { catalog, blocks: Vec::new(), first_lines: HashMap::new() };
    let mut broken = Vec::new();
    for (number, line) in lines.filter(|(_, line)| !line.trim_ascii().is_empty()) {
        if let Err(reason) = reader.line(number, line) {
            broken.push(BrokenLine { number, reason });
        }
    }
    let (whole, damaged): (Vec<_>, Vec<_>) =
        reader.blocks.into_iter().partition(|block| !block.is_damaged);
    Some(Input {
        orders: whole.into_iter().map(|block| block.order).collect(),
        broken,
        left_out: damaged.into_iter().map(|block| block.order.id).collect(),
    })
}

/// Puts lines together to orders.
struct Reader<'a> {
    catalog: &'a Catalog,
    /// The orders so far; only the last can grow.
    blocks: Vec<Block>,
    /// Where each order id was first used.
    first_lines: HashMap<String, usize>,
}

/// The lines of one order.
struct Block {
    order: Order,
    /// Lines so far, broken ones included.
    lines: u64,
    /// Whether one of them is broken.
    is_damaged: bool,
}

impl Reader<'_> {
    /// Takes in one line.
    fn line(&mut self, number: usize, line: &[u8]) -> Result<(), Reason> {
        let fields = fields(line)?;
        let order_id = field(&fields, 0)?;
        let catalog = self.catalog;
        let block = self.block(number, order_id)?;
        let added = block.add(&fields, catalog);
        block.is_damaged |= added.is_err();
        added
    }

    /// The block that a line with this order id belongs to.
    fn block(&mut self, number: usize, order_id: &str) -> Result<&mut Block, Reason> {
        if self.blocks.last().is_none_or(|block| block.order.id != order_id) {
            if let Some(&first_line) = self.first_lines.get(order_id) {
                return Err(Reason::DuplicateId { order_id: order_id.to_owned(), first_line });
            }
            self.first_lines.insert(order_id.to_owned(), number);
            self.blocks.push(Block {
                order: Order {
                    id: order_id.to_owned(),
                    customer: String::new(),
                    card: String::new(),
                    items: Vec::new(),
                },
                lines: 0,
                is_damaged: false,
            });
        }
        Ok(self.blocks.last_mut().expect("there is a block: the one found or the one just added"))
    }
}

impl Block {
    /// Adds a line's item to the order.
    fn add(&mut self, fields: &[String], catalog: &Catalog) -> Result<(), Reason> {
        self.lines += 1;
        if fields.len() > COLUMNS.len() {
            return Err(Reason::TooManyFields { found: fields.len() });
        }
        let found = number(fields, 1, MAX_LINES)?;
        let (customer, card) = (field(fields, 2)?, field(fields, 3)?);
        let sku = field(fields, 4)?;
        let quantity = number(fields, 5, MAX_QUANTITY)?;
        let unit_cents = number(fields, 6, MAX_UNIT_CENTS)?;
        if !catalog.contains(sku) {
            return Err(Reason::UnknownSku(sku.to_owned()));
        }
        let order = &mut self.order;
        if found != self.lines {
            let (order_id, expected) = (order.id.clone(), self.lines);
            return Err(Reason::OutOfSequence { order_id, found, expected });
        }
        if order.items.is_empty() {
            customer.clone_into(&mut order.customer);
            card.clone_into(&mut order.card);
        }
        for (column, ours, theirs) in
            [("customer", customer, &order.customer), ("card", card, &order.card)]
        {
            if ours != theirs {
                return Err(Reason::Contradiction { order_id: order.id.clone(), column });
            }
        }
        let quantity = u32::try_from(quantity).expect("MAX_QUANTITY fits");
        order.items.push(Item { sku: sku.to_owned(), quantity, unit_cents });
        Ok(())
    }
}

/// The fields of a line, without the spaces around them.
fn fields(line: &[u8]) -> Result<Vec<String>, Reason> {
    let mut record = csv::StringRecord::new();
    csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .buffer_capacity(line.len().max(1))
        .from_reader(line)
        // With flexible fields and a slice to read from, only the encoding can be wrong.
        .read_record(&mut record)
        .map_err(|_| Reason::NotText)?;
    Ok(record.iter().map(str::to_owned).collect())
}

/// The field in a column, which must not be empty.
fn field(fields: &[String], column: usize) -> Result<&str, Reason> {
    fields
        .get(column)
        .map(String::as_str)
        .filter(|text| !text.is_empty())
        .ok_or(Reason::Missing(COLUMNS[column]))
}

/// The number in a column.
fn number(fields: &[String], column: usize, max: u64) -> Result<u64, Reason> {
    let text = field(fields, column)?;
    text.parse().ok().filter(|number| (1..=max).contains(number)).ok_or_else(|| Reason::BadNumber {
        column: COLUMNS[column],
        text: text.to_owned(),
        max,
    })
}

#[cfg(test)]
#[path = "input_tests.rs"]
mod tests;
