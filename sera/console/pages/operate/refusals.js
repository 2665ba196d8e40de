/** Says what became of orders that were accepted on the way, but that nobody could perform. */

const IN_WORDS = {
  too_old: "it came too late",
  no_answer: "it was not answered",
  no_receiver: "nobody is there to do it",
  outbox_full: "too many orders wait",
};

/**
 * Tell the operator when a module could not do what this desk ordered.
 *
 * @param {import("../lib/desk.js").Desk} desk
 * @returns {() => void} ends it
 */
export function tellRefusals(desk) {
  const ours = (id) => desk.orders.findLast((order) => order.id === id);
  const offs = [
    desk.sera.on("ModuleFault", ({ about, summary }) => {
      if (about && ours(about)) desk.toast(summary, "warn");
    }),
    desk.sera.on("ActionExpired", ({ action, action_type, reason }) => {
      if (ours(action)) desk.toast(`${action_type} was not done: ${IN_WORDS[reason] ?? reason}`, "bad");
    }),
  ];
  return () => {
    for (const off of offs) off();
  };
}
