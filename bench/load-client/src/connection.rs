use crate::Result;
use mio::net::TcpStream;
use std::io::{ErrorKind, Read, Write};

/// A kept-alive connection with one request in flight.
pub struct Connection<'a> {
    stream: TcpStream,
    requests: &'a [&'a [u8]],
    next: usize,
    buffer: Vec<u8>,
    received: usize,
}

/// Grows for a longer response.
const BUFFER: usize = 64 * 1024;

impl<'a> Connection<'a> {
    pub fn open(address: &str, requests: &'a [&'a [u8]], first: usize) -> Result<Self> {
        let stream = std::net::TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let stream = TcpStream::from_std(stream);
        Ok(Connection {
            stream,
            requests,
            next: first,
            buffer: vec![0; BUFFER],
            received: 0,
        })
    }

    pub fn stream(&mut self) -> &mut TcpStream {
        &mut self.stream
    }

    pub fn send(&mut self) -> Result<()> {
        let request = self.requests[self.next];
        self.next = (self.next + 1) % self.requests.len();
        // A request is smaller than the send buffer, which is empty after a response.
        let sent = self.stream.write(request)?;
        if sent < request.len() {
            return Err("a request did not fit into the send buffer".into());
        }
        Ok(())
    }

    /// Reads what has arrived; returns whether it completes the response.
    pub fn receive(&mut self) -> Result<bool> {
        loop {
            if self.received == self.buffer.len() {
                self.buffer.resize(2 * self.received, 0);
            }
            let read = match self.stream.read(&mut self.buffer[self.received..]) {
                Ok(0) => return Err("the server closed a connection".into()),
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error.into()),
            };
            self.received += read;
            if is_complete(&self.buffer[..self.received])? {
                self.received = 0;
                return Ok(true);
            }
        }
    }
}

/// Fails on a response that is not 200, does not state its length, or is followed by more than was asked for.
fn is_complete(bytes: &[u8]) -> Result<bool> {
    let Some(head) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        return Ok(false);
    };
    let text = std::str::from_utf8(&bytes[..head])?;
    let mut lines = text.split("\r\n");
    let status = lines.next().unwrap_or_default();
    if !status.starts_with("HTTP/1.1 200 ") {
        return Err(format!("an answer is not 200: {status}").into());
    }
    let length = lines
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .ok_or_else(|| format!("an answer does not say its length:\n{text}"))?;
    let whole = head + 4 + length.1.trim().parse::<usize>()?;
    if bytes.len() > whole {
        return Err("a response is longer than it says".into());
    }
    Ok(bytes.len() == whole)
}
