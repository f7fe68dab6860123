// What stands for other services in the walks: a mail server, and a service that
// webhooks go to.
import crypto from "node:crypto";
import http from "node:http";
import net from "node:net";

// startMailbox takes all mails on the port and keeps them, but for those to somebody
// whom it refuses.
export async function startMailbox(port) {
  const mails = [], refused = new Set();
  const server = net.createServer((socket) => take(socket, mails, refused));
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    refused,
    close: () => server.close(),
    // saying waits for a mail to the address that says something.
    saying: (address, something) => eventually(`mail to ${address} that says ${something}`, () => mails.some((mail) => mail.to === address && mail.text.includes(something))),
    // to waits for the n-th mail to the address, and returns its text.
    to: (address, n = 1) => eventually(`mail ${n} to ${address}`, () => mails.filter((mail) => mail.to === address)[n - 1]?.text),
  };
}

// take answers an SMTP client.
function take(socket, mails, refused) {
  let unread = "", inData = false, to;
  socket.setEncoding("utf8");
  socket.on("error", () => {}); // a client that is gone
  const say = (line) => socket.write(`${line}\r\n`);
  const command = (line) => {
    const [, address] = /^RCPT TO:<([^>]*)>/i.exec(line) ?? [];
    if (address && refused.has(address)) return say("550 there is nobody by this name");
    if (address) to = address;
    if (/^QUIT/i.test(line)) return socket.end("221 bye\r\n");
    inData = /^DATA/i.test(line);
    say(inData ? "354 go on" : "250 fine");
  };
  socket.on("data", (text) => {
    unread += text;
    for (;;) {
      const end = inData ? "\r\n.\r\n" : "\r\n", at = unread.indexOf(end);
      if (at < 0) return;
      const part = unread.slice(0, at);
      unread = unread.slice(at + end.length);
      if (!inData) {
        command(part);
        continue;
      }
      mails.push({ to, text: decoded(part) });
      inData = false;
      say("250 taken");
    }
  });
  say("220 mailbox");
}

// decoded returns a mail without what quoted-printable does to it (RFC 2045).
const decoded = (mail) => mail.replace(/=\r\n/g, "").replace(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(parseInt(code, 16)));

// startHook takes what webhooks send.
export async function startHook() {
  const got = [];
  const server = http.createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    got.push({ headers: request.headers, body });
    response.writeHead(204).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${server.address().port}/hooks/chat`,
    close: () => { server.close(); server.closeAllConnections(); },
    // told waits for a message of the type with one of the secret's signatures.
    told: (type, secret) => eventually(`a message ${type}`, () => got.find((one) => JSON.parse(one.body).type === type && signed(one, secret))),
  };
}

// signed reports whether a message has a signature of the secret, as Standard Webhooks says.
function signed({ headers, body }, secret) {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const text = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const want = "v1," + crypto.createHmac("sha256", key).update(text).digest("base64");
  return headers["webhook-signature"].split(" ").includes(want);
}

// eventually returns what find returns as soon as that is something.
export async function eventually(what, find) {
  for (const end = Date.now() + 30_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 100))) {
    const found = await find();
    if (found) return found;
  }
  throw new Error(`not within 30 seconds: ${what}`);
}
