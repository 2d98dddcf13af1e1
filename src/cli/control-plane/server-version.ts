import { InvalidArgumentError, Option } from 'commander'

/** For commands that judge kubelet versions without a cluster to ask. */
export function serverVersionOption(): Option {
  return new Option(
    '--server-version <version>',
    'version of an API server, such as 1.36; kubelets must not be newer. Repeat the option for several versions',
  )
    .argParser((text: string, earlier: readonly string[]) => [...earlier, parse(text)])
    .default([], 'none')
}

function parse(text: string): string {
  if (/^v?\d{1,3}\.\d{1,3}(?:\.\d.{0,60})?$/.test(text)) return text.replace(/^v/, '')
  throw new InvalidArgumentError('expected a version such as 1.36 or v1.36.3')
}
