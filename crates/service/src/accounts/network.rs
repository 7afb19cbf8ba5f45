use std::net::{IpAddr, Ipv6Addr};

use super::digest;

/// The address by which attempts and joins are counted. For IPv6 it is the /64 network, because one person usually
/// controls a whole one.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    }
}

/// A hash of the network, for the counts of people who join. It hides the address from a glance, not from an
/// attacker: there are few enough addresses to try them all. The counts are deleted within two hours.
pub fn network_hash(address: IpAddr) -> String {
    digest(format!("network {}", network(address)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_in_one_ipv6_network_share_their_attempts() {
        let same =
            |a: &str, b: &str| network_hash(a.parse().unwrap()) == network_hash(b.parse().unwrap());

        assert!(same("2001:db8::1", "2001:db8::ffff:2"));
        assert!(!same("2001:db8::1", "2001:db8:0:1::1"));
        assert!(same("::ffff:192.0.2.1", "192.0.2.1"));
        assert!(!same("192.0.2.1", "192.0.2.2"));
    }
}
