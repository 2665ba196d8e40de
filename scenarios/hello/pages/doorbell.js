// An activity page: it reports clicks, and shows what the robot points out.
import { connect } from "/sera.js";

const button = document.getElementById("doorbell");
const status = document.getElementById("status");
const sera = await connect({ role: "activity", page: "doorbell" });

button.disabled = false;
status.textContent = "Ring, and see what the robot does.";

button.addEventListener("click", async () => {
  try {
    await sera.send("Clicked", { element: "doorbell" });
  } catch (refusal) {
    status.textContent = refusal.message;
  }
});

sera.on("Highlight", (message) => {
  if (message.element !== "doorbell") return;
  status.textContent = message.label ?? "The robot points here.";
  button.classList.add("highlighted");
  setTimeout(() => button.classList.remove("highlighted"), message.duration_s * 1000);
});
