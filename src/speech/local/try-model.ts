import { modelRecognizers } from "./model-recognizers.ts";
import { modelVoice } from "./model-voices.ts";
import type { HearingModel, SpeakingModel } from "./speech-models.ts";

/** A process of its own that loads one model: the native code ends the process where it can't read one. */
const model = JSON.parse(process.argv[2] ?? "") as HearingModel | SpeakingModel;
if ("encoder" in model) modelRecognizers(model);
else modelVoice(model);
