import { notifications } from "@mantine/notifications";
import { inChosenZone } from "../time/in-zone.ts";

/** For what fails where the page has no place for it; it stays until it is read. */
export const showFailure = (error: Error): void => show({ message: error.message });

/** For what fails after somebody has left the page it was sent from, and what they entered there with it. */
export const showLateFailure = (error: Error): void =>
  show({ title: "Failed in the background", message: error.message });

const show = (notice: { title?: string; message: string }): void => {
  notifications.show({ ...notice, message: inChosenZone(notice.message), color: "red", autoClose: false });
};
