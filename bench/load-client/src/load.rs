use crate::Result;
use crate::connection::Connection;
use mio::{Events, Interest, Poll, Token};
use std::time::{Duration, Instant};

/// The connections, each with a request in flight.
pub struct Load<'a> {
    poll: Poll,
    events: Events,
    connections: Vec<Connection<'a>>,
}

impl<'a> Load<'a> {
    pub fn start(address: &str, requests: &'a [&'a [u8]], count: usize) -> Result<Self> {
        let poll = Poll::new()?;
        let mut connections = Vec::with_capacity(count);
        for number in 0..count {
            let first = number * requests.len() / count;
            let mut connection = Connection::open(address, requests, first)?;
            let token = Token(number);
            poll.registry()
                .register(connection.stream(), token, Interest::READABLE)?;
            connection.send()?;
            connections.push(connection);
        }
        let events = Events::with_capacity(count);
        Ok(Load {
            poll,
            events,
            connections,
        })
    }

    /// Returns the number of responses within the time.
    pub fn run(&mut self, time: Duration) -> Result<u64> {
        let end = Instant::now() + time;
        let mut answered = 0;
        while Instant::now() < end {
            self.poll
                .poll(&mut self.events, Some(Duration::from_millis(10)))?;
            for event in &self.events {
                let connection = &mut self.connections[event.token().0];
                if connection.receive()? {
                    answered += 1;
                    connection.send()?;
                }
            }
        }
        Ok(answered)
    }
}
