/** Version of this build; a test keeps it equal to package.json's. */
export const BUILD_VERSION = '0.1.0';
