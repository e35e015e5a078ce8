#include <fathom/error.hpp>

namespace fathom {

// The destructors are defined here, so that type information lives once in the library and exceptions can be caught
// across its boundary.
Error::~Error() = default;
InputError::~InputError() = default;
SystemError::~SystemError() = default;
Interrupted::~Interrupted() = default;

}  // namespace fathom
