import { Fragment, type ReactNode } from "react";

/**
 * Seven digits or more in groups: a telephone number or a date with dashes, whose groups would change places in a text that
 * is read from the right. The chat page has the same (`public/chat/words.js`).
 */
const GROUPED =
  /((?<![\w\p{Nd}])(?=(?:[+() .-]{0,3}\p{Nd}){7})\+?\(?\p{Nd}{1,5}\)?(?:[ .-]\(?\p{Nd}{2,8}\)?)+)/u;

/** A text with its long numbers read from the left. */
export const withNumbers = (text: string): ReactNode =>
  text.split(GROUPED).map((piece, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the same number may stand there twice
      <bdi key={index} dir="ltr">
        {piece}
      </bdi>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text
      <Fragment key={index}>{piece}</Fragment>
    ),
  );
