// Loaded into the function that sends webhooks: connections to the address of the test's receivers go to this machine. On AWS,
// the function never connects to a loopback address.
const { Socket } = require("node:net");

const { connect } = Socket.prototype;
Socket.prototype.connect = function (...args) {
  const [options] = Array.isArray(args[0]) ? args[0] : args;
  if (options?.host === "fd00:5e1f::1") options.host = "127.0.0.1";
  return connect.apply(this, args);
};
