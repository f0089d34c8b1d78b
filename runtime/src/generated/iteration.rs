//! `for` loops that await: the rest of an iterator, in a form that can be saved.

use std::cell::Cell;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Asked, Durable, Local, local};
use crate::codec::{self, CodecError, Reader, Sink, SinkError, next_value};
use crate::machine::values::{Coding, SavedKind};

/// The maximum number of items of a `for` loop with an `.await`. The run saves all items that are left, so more would
/// be a mistake, and an endless iterator would hang.
const MAX_LOOP_ITEMS: usize = 1_000_000;

/// The remaining items of a loop.
///
/// After a suspension they are bytes, and a loop decodes them one by one: an iteration decodes one item and encodes
/// none. The remaining bytes are copied.
pub struct Items<T> {
    left: usize,
    source: ItemSource<T>,
}

enum ItemSource<T> {
    /// The items from the iterator.
    Made(std::vec::IntoIter<T>),
    /// The saved items.
    Saved(SavedItems<T>),
}

struct SavedItems<T> {
    /// The remaining items, one after the other.
    bytes: Vec<u8>,
    /// The number of bytes taken.
    taken: usize,
    /// Whether the rest has been saved again and belongs to the next state.
    saved: Cell<bool>,
    decode: DecodeFirst<T>,
}

/// Decodes the first item, and returns its number of bytes.
pub(super) type DecodeFirst<T> = fn(&[u8]) -> Result<(T, usize), CodecError>;

/// Collects all items of an iterator.
///
/// # Panics
/// If there are more than a million.
pub fn items<I: IntoIterator<Item = T>, T>(iterator: I) -> Items<T> {
    let mut items = Vec::new();
    for item in iterator {
        assert!(
            items.len() < MAX_LOOP_ITEMS,
            "a `for` loop with an `.await` in it runs over more than {MAX_LOOP_ITEMS} items"
        );
        items.push(item);
    }
    Items { left: items.len(), source: ItemSource::Made(items.into_iter()) }
}

impl<T> Iterator for Items<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.left = self.left.checked_sub(1)?;
        match &mut self.source {
            ItemSource::Made(items) => items.next(),
            ItemSource::Saved(items) => Some(items.next()),
        }
    }
}

impl<T> SavedItems<T> {
    fn next(&mut self) -> T {
        match (self.decode)(&self.bytes[self.taken..]) {
            Ok((item, length)) => {
                self.taken += length;
                item
            }
            // A definition reads only bytes that it has written itself; others have another hash.
            Err(error) => panic!("an item of a loop cannot be read back: {error}"),
        }
    }
}

/// Remaining items are dropped one by one, as with rustc's own loop.
impl<T> Drop for Items<T> {
    fn drop(&mut self) {
        let ItemSource::Saved(items) = &mut self.source else { return };
        if !std::mem::needs_drop::<T>() || items.saved.get() || std::thread::panicking() {
            return;
        }
        for _ in 0..self.left {
            let Ok((_, length)) = (items.decode)(&items.bytes[items.taken..]) else { return };
            items.taken += length;
        }
    }
}

impl<T> fmt::Debug for Items<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Items({} left)", self.left)
    }
}

/// The bound of the items of a loop with an await: [`Durable`], under another name for error messages.
#[diagnostic::on_unimplemented(
    message = "a `for` loop with an `.await` in it cannot hold items of type `{Self}`",
    label = "the remaining items are saved at the await, and `{Self}` cannot be saved",
    note = "their type must implement `serde::Serialize` and `serde::de::DeserializeOwned`: derive both for a type \
            of your own; turn references into values: `.cloned()`, `.map(|(k, v)| (k.clone(), *v))`; make calls in \
            the loop, or await all of them with `join_all(calls).await`",
    note = "the items of a plain borrow (`&list`, `map.iter()`, `text.lines()`) may be references",
    note = "rule `saved_locals`"
)]
pub trait DurableItem: Durable {}

#[diagnostic::do_not_recommend]
impl<T: Durable> DurableItem for T {}

/// Like `local`, for an item of a loop.
pub fn item<T: DurableItem>() -> Local<T> {
    local()
}

/// Creates the token of items whose type is inferred later. They are saved like a `Vec` of them. See `local`.
pub const fn item_list<T: DurableItem>() -> Local<Items<T>> {
    Local {
        coding: const {
            &Coding {
                save: save_items::<T>,
                load: load_items::<T>,
                kind: SavedKind::of::<Items<T>, Vec<T>>(|saved| drop(load_items::<T>(saved))),
            }
        },
    }
}

pub(super) fn save_items<T: Serialize>(items: &Items<T>, out: Sink<'_>) -> Result<(), SinkError> {
    match &items.source {
        ItemSource::Made(made) => made.as_slice().serialize(out),
        ItemSource::Saved(saved) => {
            saved.saved.set(true);
            out.list_as_it_is(items.left, &saved.bytes[saved.taken..]);
            Ok(())
        }
    }
}

fn load_items<T: Durable>(saved: &mut Reader<'_>) -> Option<Items<T>> {
    if saved.is_binary() {
        return load_items_by(saved, codec::decode_first::<T>);
    }
    let items = next_value::<Vec<T>>(saved)?;
    Some(Items { left: items.len(), source: ItemSource::Made(items.into_iter()) })
}

pub(super) fn load_items_by<T>(saved: &mut Reader<'_>, decode: DecodeFirst<T>) -> Option<Items<T>> {
    let left = next_value::<usize>(saved)?;
    let bytes = saved.rest().to_vec();
    let source = SavedItems { bytes, taken: 0, saved: Cell::new(false), decode };
    Some(Items { left, source: ItemSource::Saved(source) })
}

/// The position of a loop over borrowed items: the number of the current item, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position(usize);

impl Position {
    /// Before the first item.
    pub const START: Self = Self(0);
}

/// The items `T` of a loop over a borrow are references, or consist of references and numbers. So the collection
/// does not change while the loop runs, and the item at a position is always the same.
#[diagnostic::on_unimplemented(
    message = "a `for` loop with an `.await` in it cannot iterate over a borrow whose items are `{T}`",
    label = "the items are not references",
    note = "collect the items first: `for item in list.iter().collect::<Vec<_>>()`; turn references in them into \
            values: `.map(|(number, line)| (number, line.clone()))`",
    note = "if a method of your own returns the items by value, write `for line in order.lines().into_iter()`",
    note = "if the iterator is used again after the loop, write `while let Some(number) = numbers.next()`",
    note = "rule `saved_locals`"
)]
pub trait Gives<T> {}

#[diagnostic::do_not_recommend]
impl<T: ?Sized> Gives<&T> for Asked {}
#[diagnostic::do_not_recommend]
impl<T: ?Sized> Gives<&mut T> for Asked {}
#[diagnostic::do_not_recommend]
impl<T> Gives<(usize, T)> for Asked where Self: Gives<T> {}
#[diagnostic::do_not_recommend]
impl<T, U> Gives<(T, U)> for Asked where Self: Gives<T> + Gives<U> {}

/// The next item, if there is one.
pub fn next_item<I>(items: I, position: &mut Position) -> Option<I::Item>
where
    I: IntoIterator,
    Asked: Gives<I::Item>,
{
    next_copy(items, position)
}

/// The item that [`next_item`] returned last.
///
/// # Panics
/// If it returned none.
pub fn current_item<I: IntoIterator<Item = T>, T>(items: I, position: &Position) -> T {
    current_copy(items, position)
}

/// Like [`next_item`], for items that may be copied: those of a constant, and `Copy` types.
pub fn next_copy<I: IntoIterator<Item = T>, T>(items: I, position: &mut Position) -> Option<T> {
    let item = items.into_iter().nth(position.0)?;
    position.0 += 1;
    Some(item)
}

/// The item that [`next_copy`] returned last.
///
/// # Panics
/// If it returned none.
pub fn current_copy<I: IntoIterator<Item = T>, T>(items: I, position: &Position) -> T {
    let item = position.0.checked_sub(1).and_then(|index| items.into_iter().nth(index));
    item.expect("what is borrowed has not changed")
}

/// The values that a loop zips with the `lent` items: at most one per item.
pub fn beside<V: IntoIterator, L: IntoIterator>(
    values: V,
    lent: L,
) -> std::iter::Take<V::IntoIter> {
    values.into_iter().take(lent.into_iter().count())
}

/// Whether a filter keeps an item.
pub fn keeps<T>(item: &T, mut looks: impl FnMut(&T) -> bool) -> bool {
    looks(item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_saved_as_a_list_and_taken_from_its_bytes() {
        let texts: Vec<String> = (0..300).map(|n| "x".repeat(n)).collect();
        let token = item_list::<String>();
        let mut items = items(texts.clone());
        for (number, text) in texts.iter().enumerate() {
            let (mut saved, mut expected) = (Vec::new(), Vec::new());
            token.coding.encode(&items, &mut saved).expect("text");
            codec::encode_into(&texts[number..], &mut expected).expect("text");
            // Behind the encoding and the hash of the schema.
            assert_eq!(saved[9..], expected);
            items = token.coding.decode(&saved).expect("just saved");
            assert_eq!(items.next().as_ref(), Some(text));
            // Saves again after some bytes were taken, as in a loop with several awaits, and every other time continues
            // without loading.
            assert_eq!(items.left, texts.len() - number - 1);
        }
        assert_eq!(items.next(), None);
        assert_eq!(items.next(), None);
    }

    #[test]
    fn bytes_that_are_no_items_are_noticed() {
        let token = item_list::<String>();
        assert!(token.coding.decode(&[]).is_err());
    }

    #[test]
    #[should_panic(expected = "more than 1000000 items")]
    fn an_endless_iterator_is_noticed() {
        items(std::iter::repeat(1));
    }
}
