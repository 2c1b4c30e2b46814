// Tests in a browser that draws in software, beside other work, now and then wait in vain. One that fails is
// tried once more and must pass then; what is wrong fails twice.

/** Calls an attempt, which gives what went wrong or "", once or twice. */
export async function again(name, attempt) {
  const first = await attempt();
  if (!first) return "";
  console.log(`     ${name}: once more, since ${first}`);
  return attempt();
}
