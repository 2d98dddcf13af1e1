/**
 * Why a kubelet ended, out of what it said last: a panic, or the last logged error, or else its last line.
 * klog writes `E1121 … "command failed" err="…"`; the quoted part is what people want to read.
 */
export function reasonIn(lines: readonly string[]): string | undefined {
  const all = unfolded(lines)
    .map((line) => line.trim())
    .filter(Boolean)
  const own = all.filter((line) => !BY_MANAGER.test(line))
  // One that says nothing itself: how it ended says more than that it was started.
  const said = own.length > 0 ? own : [all.findLast((line) => line.includes(' exited, code=')) ?? all.at(-1) ?? []].flat()
  const found =
    said.find(isPanic) ?? said.findLast(isFatal) ?? said.findLast((line) => /\berr="|^Error:/.test(line)) ?? said.at(-1)
  return found === undefined ? undefined : unquoted(found)
}

export function unquoted(line: string): string {
  const quoted = /\berr="((?:[^"\\]|\\.)*)"/.exec(line)?.[1]
  const text = quoted?.replace(/\\n/g, ' ').replace(/\\(.)/g, '$1') ?? line.replace(/^(?:panic|Error):\s*/, '')
  return text.slice(0, 1000)
}

/** A value of several lines stands on lines of its own, between `err=<` and ` >`: put into quotes, it reads like all others. */
function unfolded(lines: readonly string[]): string[] {
  const quote = (_: string, value: string) => `=${JSON.stringify(value.trim().replace(/\s*\n\s*/g, ' '))}`
  return lines
    .join('\n')
    .replace(/=<\n(.*?)\n\s*>$/gms, quote)
    .split('\n')
}

/** What the service manager says of any unit that ends: why it did, stands elsewhere. */
const BY_MANAGER =
  /^\S+: (?:(?:Main|Control|Mount) process exited|Failed with result|Scheduled restart job|Start request repeated|Deactivated|Consumed|Unit process \d+ |Found left-over process)|^This usually indicates unclean termination|^(?:Start|Stopp|Mount|Unmount)(?:ed|ing) |^Failed (?:un)?mounting |^Failed to start \S+(?: - |\.$)/

/** What a kubelet says right before it exits; other errors may stand after it, of what still ran then. */
function isFatal(line: string): boolean {
  return /\] "(?:command failed|Failed to (?:start|run|initialize|create) [^"]*)" .*\berr="/.test(line)
}

function isPanic(line: string): boolean {
  return line.startsWith('panic:')
}
