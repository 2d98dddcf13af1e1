import type { Log } from '../ports.ts'

/** Lines on standard error, where the service manager's journal stamps and keeps them. */
export function stderrLog(format: 'text' | 'json' = 'text'): Log {
  const write = (level: 'info' | 'warn', message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
    const line =
      format === 'json'
        ? JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })
        : textLine(level, message, fields)
    process.stderr.write(`${line}\n`)
  }
  return { info: (message, fields) => write('info', message, fields), warn: (message, fields) => write('warn', message, fields) }
}

/** As in JSON, what is undefined is left out. */
export function textLine(level: string, message: string, fields: Readonly<Record<string, unknown>>): string {
  const details = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${typeof value === 'string' && /^\S+$/.test(value) ? value : JSON.stringify(value)}`)
  return [level === 'warn' ? 'warning:' : '', message, ...details].filter(Boolean).join(' ')
}
