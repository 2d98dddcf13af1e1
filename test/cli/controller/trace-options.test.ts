import { expect, test } from 'vitest'
import { tracesOf } from '../../../src/cli/controller/trace-options.ts'

test.each(['https', 'ftp'])(
  'a collector whose URL (%s) has a password in it is refused at the start, and not shown',
  async (protocol) => {
    const tracesUrl = `${protocol}://user:SECRET@collector.example/v1/traces`
    await expect(tracesOf({ cwd: '/', tracesUrl })).rejects.toThrow(
      /^--traces-url: a URL with a user name or a password is refused; use a header: --traces-headers-file$/,
    )
  },
)
