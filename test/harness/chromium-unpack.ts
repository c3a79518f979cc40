// Unpacks the browser that npm brings into the folder of temporary files: a program of its own, so that `chromium.ts` can
// say which folder that is. Its system libraries are unpacked only where it believes to be in this place.
process.env.AWS_EXECUTION_ENV = "AWS_Lambda_nodejs22.x";
const { default: bundled } = await import("@sparticuz/chromium");
await bundled.executablePath();

export {};
