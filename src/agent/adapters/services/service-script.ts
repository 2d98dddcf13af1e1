/** What a script of a service says of itself, without being run. Pure. */
export interface ScriptFacts {
  readonly pidFiles: readonly string[]
  readonly logs: readonly string[]
}

const ASSIGNMENT = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=("[^"\n]*"|'[^'\n]*'|[^\s;&|"']*)/gm
const VARIABLE = /\$(?:\{([A-Za-z_][A-Za-z0-9_]*)(?::?-([^}]*))?\}|([A-Za-z_][A-Za-z0-9_]*))/g
/** As old scripts of Red Hat have it. */
const HEADER = /^#\s*pidfile:\s*(\S+)/m

/** Variables that name a process id file or a log, with those that the script has set before filled in. */
export function readScript(text: string, service: string): ScriptFacts {
  const variables = new Map([
    ['RC_SVCNAME', service],
    ['SVCNAME', service],
    ['NAME', service],
  ])
  const header = HEADER.exec(text)?.[1]
  const pidFiles = header === undefined ? [] : [header]
  const logs: string[] = []
  for (const [, name = '', value = ''] of text.matchAll(ASSIGNMENT)) {
    const filled = fill(value, variables)
    if (filled === undefined) continue
    variables.set(name, filled)
    if (!filled.startsWith('/')) continue
    if (/pid_?file$/i.test(name)) pidFiles.push(filled)
    if (/^(?:output|error)_log$|^log_?file$/i.test(name)) logs.push(filled)
  }
  return { pidFiles: [...new Set(pidFiles)], logs: [...new Set(logs)] }
}

/** Undefined when it takes a shell to know. */
function fill(value: string, variables: ReadonlyMap<string, string>): string | undefined {
  if (value.startsWith("'")) return value.slice(1, -1)
  const bare = value.startsWith('"') ? value.slice(1, -1) : value
  const filled = bare.replace(VARIABLE, (whole, braced, fallback, plain) => {
    const known = variables.get(braced ?? plain)
    return known ?? (fallback === undefined ? whole : (fill(fallback, variables) ?? whole))
  })
  return /[$`\\]/.test(filled) ? undefined : filled
}
