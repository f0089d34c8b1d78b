//! A trip that is booked completely or not at all: a flight, a hotel and a car.
//!
//! Each booking notes how to cancel it before anything else can happen. However the run ends, because something is sold
//! out, because it was cancelled while it waits for the traveler, or because its process died in between, the desk is left
//! with three bookings or with none. The workflow is [`book_trip`].
//!
//! ```text
//! $ cargo run -p piton-examples --bin trip -- trips.db trip-1
//! ```

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use piton::machine::Cancelled;
use piton::prelude::*;
use serde::{Deserialize, Serialize};

/// What is to be booked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Trip {
    /// The key under which it is booked.
    pub id: String,
    /// The flight.
    pub flight: String,
    /// The hotel.
    pub hotel: String,
    /// The car.
    pub car: String,
}

/// The traveler takes the trip as it is booked.
#[derive(Debug, Signal, Serialize, Deserialize)]
pub struct Confirm;

/// Why a trip is not booked.
#[derive(Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum TripError {
    /// There is no room.
    #[error("`{0}` is sold out")]
    SoldOut(String),
    /// A booking failed in another way.
    #[error("the booking failed")]
    Booking(#[from] ActivityError<String>),
    /// The traveler has called it off.
    #[error(transparent)]
    CalledOff(#[from] Cancelled),
    /// The traveler did not answer.
    #[error("nobody confirmed the trip")]
    Unconfirmed,
}

/// The booking office: the current bookings, and the parts that are sold out. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Desk(Arc<Mutex<Books>>);

#[derive(Debug, Default)]
struct Books {
    booked: BTreeSet<String>,
    sold_out: BTreeSet<String>,
}

impl Desk {
    /// Sells the last of something.
    pub fn sell_out(&self, what: &str) {
        self.with(|books| _ = books.sold_out.insert(what.to_owned()));
    }

    /// What is booked.
    pub fn booked(&self) -> Vec<String> {
        self.with(|books| books.booked.iter().cloned().collect())
    }

    fn with<T>(&self, look: impl FnOnce(&mut Books) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Books one thing, under the key of the trip: an attempt after a crash finds the booking. Nothing if it is sold out.
#[activity]
async fn book(cx: &ActivityContext, trip: &str, what: &str) -> Result<Option<String>, String> {
    Ok(cx.dependency::<Desk>().with(|books| {
        let booking = format!("{trip}: {what}");
        let is_free = !books.sold_out.contains(what);
        is_free.then(|| _ = books.booked.insert(booking.clone())).map(|()| booking)
    }))
}

/// Cancels a booking. One that is cancelled already stays so.
#[activity]
async fn cancel_booking(cx: &ActivityContext, booking: &str) -> Result<(), String> {
    cx.dependency::<Desk>().with(|books| _ = books.booked.remove(booking));
    Ok(())
}

/// Books all of a trip, and has the traveler confirm it within half an hour.
#[workflow]
pub async fn book_trip(cx: &Context, trip: Trip) -> Result<Vec<String>, TripError> {
    let mut bookings = Vec::new();
    for what in [trip.flight.clone(), trip.hotel.clone(), trip.car.clone()] {
        // The shield keeps a request to cancel from coming between the booking and the note of how to undo it.
        let Some(booking) = cx.shield(book(&trip.id, &what)).await? else {
            return Err(TripError::SoldOut(what));
        };
        cx.on_failure(cancel_booking(&booking));
        bookings.push(booking);
    }
    match cx.signal::<Confirm>().timeout(minutes(30)).or_cancelled().await? {
        Some(Confirm) => Ok(bookings),
        None => Err(TripError::Unconfirmed),
    }
}
