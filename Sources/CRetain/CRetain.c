#include "CRetain.h"
