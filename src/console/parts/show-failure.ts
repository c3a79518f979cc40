import { notifications } from "@mantine/notifications";

/** For what fails where the page has no place for it; it stays until it is read. */
export const showFailure = (error: Error): void => {
  notifications.show({ message: error.message, color: "red", autoClose: false });
};
