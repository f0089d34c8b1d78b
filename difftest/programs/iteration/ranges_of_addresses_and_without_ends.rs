//! Ranges of addresses, and ranges without an end, which overflow before they give their last number.

use std::net::{Ipv4Addr, Ipv6Addr};

#[workflow]
async fn program(n: i64) -> i64 {
    let mut sum = 0;
    for address in Ipv4Addr::new(10, 0, 0, 254)..=Ipv4Addr::new(10, 0, 1, 1) {
        sum += act(i64::from(address.octets()[3]) + n).await;
    }
    for address in Ipv6Addr::UNSPECIFIED..Ipv6Addr::new(0, 0, 0, 0, 0, 0, 0, 2) {
        sum += act(i64::from(address.segments()[7]) + n).await;
    }
    for code in 253_u8.. {
        sum += act(i64::from(code) + n).await;
        if sum % 3 == n || code == 255 {
            break;
        }
    }
    sum
}
